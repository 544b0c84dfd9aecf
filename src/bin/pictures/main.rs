//! `pictures FOLDER`: draws the start page's pictures with the models that come with the page, in both themes.
//! `cargo xtask build` runs it; nothing here is drawn by hand or kept from an earlier build.

use std::error::Error;
use std::path::Path;

use atelier::app::doors::{ALL, WIDTH};
use atelier::app::examples;
use atelier::app::link::SweepSettings;
use atelier::chart::plot::Room;
use atelier::chart::{
    Column, DARK, Figure, LIGHT, Quantity, Theme, depth_figures, figures, survey_figures,
    sweep_figures, theorem_figure,
};
use atelier::engine::{Capture, DepthWish};
use atelier::model::{FileBytes, ModelFiles, catalogue};
use atelier::study::orders::{Extent, Order, Orders, Sweeping};
use atelier::study::report::Lens;
use atelier::study::survey::Survey;
use atelier::study::{LoadedModel, lens};
use atelier::task::item::Item;
use atelier::task::primer::{self, GeneratedTask};

mod surveyed;

/// Rows of a task: enough for intervals that do not hide the picture, few enough for a build.
const ROWS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1);
    let folder = folder.ok_or("say where the pictures go: pictures FOLDER")?;
    let pictured = Pictured::compute()?;
    for theme in [&LIGHT, &DARK] {
        for door in ALL {
            let figure = pictured.figure(door.key, theme)?.laid_out(Room::of(WIDTH));
            let path = Path::new(&folder).join(door.file(theme.name));
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            let what = format!("cannot write {}", path.display());
            std::fs::write(&path, figure.svg(WIDTH, &pictured.source(door.key)))
                .map_err(|error| format!("{what}: {error}"))?;
        }
    }
    Ok(())
}

/// What the pictures are of.
struct Pictured {
    lens: Lens,
    orders: Orders,
    survey: Survey,
}

impl Pictured {
    fn compute() -> Result<Self, Box<dyn Error>> {
        let model = shipped(examples::MODEL)?;
        let tasks = [GeneratedTask::Sum, GeneratedTask::Mood];
        Ok(Self {
            lens: looked_into(&model)?,
            orders: swept(&model)?,
            survey: surveyed::survey(&tasks, ROWS)?,
        })
    }

    /// The picture behind the door of this name.
    fn figure(&self, key: &str, theme: &Theme) -> Result<Figure, Box<dyn Error>> {
        let column = Column::default();
        let of = |all: Vec<Figure>, key: &str| all.into_iter().find(|figure| figure.key == key);
        let found = match key {
            "look" => of(figures(&self.lens, column, theme).to_vec(), "votes"),
            "learn" => of(depth_figures(&self.lens, Default::default(), theme), "followed"),
            "try" => {
                of(sweep_figures(&self.orders, Quantity::default(), column, theme), "neighbours")
            }
            "measure" => of(survey_figures(&self.survey, theme), "tradeoff"),
            "read" => Some(theorem_figure(1, &self.survey, [0, 0], 0.0, theme, Room::of(WIDTH))?),
            _ => None,
        };
        found.ok_or_else(|| format!("there is no picture for the door “{key}”").into())
    }

    /// What it was computed of, for the line under its title.
    fn source(&self, key: &str) -> String {
        match key {
            "look" | "learn" => {
                let prompt = self.lens.prompt.as_deref().unwrap_or_default();
                format!("{} · {prompt} …", examples::MODEL)
            }
            "try" => {
                format!("{} · {} rows of “{}”", examples::MODEL, self.orders.rows, self.orders.task)
            }
            _ => format!("the models that come with the page · {ROWS} rows a task"),
        }
    }
}

/// The page's first example, with what its stream would answer along the depth.
fn looked_into(model: &LoadedModel) -> Result<Lens, Box<dyn Error>> {
    let draft = examples::first();
    let answer = draft.answer.ok_or("the first example says what is right")?;
    let question = model.question(&draft.prompt, &draft.options, answer)?;
    let plan = model.plan(None)?;
    let capture = Capture {
        depths: Some(DepthWish {
            top: 1,
            followed: question.prompt.option_ids.clone(),
            is_held: false,
            positions: Vec::new(),
        }),
        ..Capture::default()
    };
    let run = model.engine.start(
        vec![question.prompt.clone()].into(),
        vec![plan.clone()].into(),
        capture,
    )?;
    let trace = run.complete()?.into_iter().flatten().next();
    let trace = trace.ok_or("the engine gave no trace")?;
    let mut lens = lens::lens(&question, &plan, trace);
    lens::name_words(&mut lens, model);
    Ok(lens)
}

/// The sweep with which the view of orders begins.
fn swept(model: &LoadedModel) -> Result<Orders, Box<dyn Error>> {
    let settings = SweepSettings::default();
    let task = *settings.tasks.first().ok_or("a sweep is of a task")?;
    let items = held_out(task, ROWS);
    let orders = Order::all(&settings.kinds, Extent::default(), &model.shape().order)?;
    let mut sweeping = Sweeping::start(model, task.name(), &items, orders, 0)?;
    while sweeping.advance()?.is_some() {}
    Ok(sweeping.orders().ok_or("no row was run")?)
}

/// The first rows that no model was trained on.
fn held_out(task: GeneratedTask, rows: usize) -> Vec<Item> {
    let rows = primer::held_out(task, None, rows, primer::ROWS_SEED).into_iter();
    rows.map(|row| Item::Option { prompt: row.prompt, options: row.options, answer: row.answer })
        .collect()
}

/// A model that is compiled into this program.
fn shipped(name: &str) -> Result<LoadedModel, Box<dyn Error>> {
    let known = catalogue::find(name).ok_or("there is no such model")?;
    let files = known.files.iter();
    let files = files.map(|file| (file.name.to_string(), FileBytes::Static(file.bytes)));
    let files = ModelFiles::from_named(known.name, files.collect())?;
    Ok(LoadedModel::from_files(&files, &mut |_, _| ())?)
}
