//! The part of ECharts the page uses: tooltips, and points that one can choose. It travels behind the
//! first pictures, which are drawings of our own; `echarts` is a global once it is there.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::chart::Figure;

/// How long a drawing stands before ECharts is fetched unasked.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(1500);

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    Not,
    Asked,
    There,
    Failed,
}

/// Is ECharts there? It is fetched when someone points at a drawing, or when one has stood for a while.
#[derive(Clone, Copy)]
pub struct Library(RwSignal<Arrival>);

impl Library {
    pub fn start() -> Self {
        Self(RwSignal::new(Arrival::Not))
    }

    pub fn is_there(self) -> bool {
        self.0.get() == Arrival::There
    }

    pub fn has_failed(self) -> bool {
        self.0.get() == Arrival::Failed
    }

    /// A drawing stands.
    pub fn fetch_soon(self) {
        if self.0.get_untracked() == Arrival::Not {
            set_timeout(move || self.fetch(), PATIENCE);
        }
    }

    pub fn fetch(self) {
        if self.0.get_untracked() != Arrival::Not {
            return;
        }
        self.0.set(Arrival::Asked);
        leptos::task::spawn_local(async move {
            let fetched = match fetch_library() {
                Ok(promise) => wasm_bindgen_futures::JsFuture::from(promise).await,
                Err(error) => Err(error),
            };
            self.0.set(fetched.map_or(Arrival::Failed, |_| Arrival::There));
        });
    }
}

#[wasm_bindgen]
extern "C" {
    /// Set by the script that starts the page, which knows the address of this build's file.
    #[wasm_bindgen(catch, js_name = fetchCharts)]
    fn fetch_library() -> Result<js_sys::Promise, JsValue>;

    #[derive(Clone)]
    type Instance;

    #[wasm_bindgen(catch, js_namespace = echarts, js_name = init)]
    fn init(
        host: &web_sys::Element,
        theme: &JsValue,
        options: &JsValue,
    ) -> Result<Instance, JsValue>;
    #[wasm_bindgen(catch, js_namespace = echarts, js_name = maps)]
    fn maps() -> Result<js_sys::Promise, JsValue>;
    #[wasm_bindgen(catch, js_namespace = echarts, js_name = connect)]
    fn connect(group: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, setter, js_name = group)]
    fn set_group(this: &Instance, group: &str);
    #[wasm_bindgen(catch, method, js_name = setOption)]
    fn set_option(this: &Instance, option: &JsValue, not_merge: bool) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = on)]
    fn on_event(this: &Instance, event: &str, handler: &js_sys::Function);
    #[wasm_bindgen(catch, method, js_name = dispatchAction)]
    fn dispatch_action(this: &Instance, action: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = getZr)]
    fn surface(this: &Instance) -> Surface;
    #[wasm_bindgen(catch, method, js_name = containPixel)]
    fn contains(this: &Instance, finder: &str, pixel: &[f64]) -> Result<bool, JsValue>;
    #[wasm_bindgen(catch, method, js_name = convertFromPixel)]
    fn place_at(this: &Instance, finder: &JsValue, pixel: f64) -> Result<f64, JsValue>;
    #[wasm_bindgen(method)]
    fn resize(this: &Instance);
    #[wasm_bindgen(method)]
    fn dispose(this: &Instance);

    /// The layer that an instance draws on; it hears the pointer everywhere.
    type Surface;

    #[wasm_bindgen(method, js_name = on)]
    fn on_pointer(this: &Surface, event: &str, handler: &js_sys::Function);
    #[wasm_bindgen(method, js_name = setCursorStyle)]
    fn set_cursor(this: &Surface, style: &str);
}

/// A drawing in a host element; disposed of when dropped.
pub struct Chart {
    instance: Instance,
    clicked: Vec<Closure<dyn FnMut(JsValue)>>,
    /// Names of the choices along the x-axis, in the option drawn last.
    places: Rc<RefCell<Vec<String>>>,
    said: Closure<dyn Fn(JsValue) -> JsValue>,
    /// Kind and number of parts of the option drawn last: like parts are moved, others drawn anew.
    shape: Option<Vec<usize>>,
}

impl Chart {
    /// An SVG drawing that fills `host` and shares its hover with the others of `group`.
    pub fn on(host: &web_sys::Element, group: &str) -> Result<Self, JsValue> {
        let instance =
            init(host, &JsValue::NULL, &json(&serde_json::json!({ "renderer": "svg" }))?)?;
        instance.set_group(group);
        connect(group)?;
        let (clicked, places) = (Vec::new(), Rc::default());
        Ok(Self { instance, clicked, places, said: Closure::new(said), shape: None })
    }

    /// Calls back with the plan of a point that is clicked on.
    pub fn on_plan(&mut self, then: impl Fn(String) + 'static) {
        self.on_click("plan", then);
    }

    /// Calls back with what choosing the point, the cell or the place of the x-axis that is clicked on is called.
    pub fn on_pick(&mut self, then: impl Fn(String) + Clone + 'static) {
        self.on_click("pick", then.clone());
        self.on_place(then);
    }

    /// Hears clicks anywhere over or under a place of the x-axis that may be chosen, and marks it by the cursor.
    fn on_place(&mut self, then: impl Fn(String) + 'static) {
        let (instance, places) = (self.instance.clone(), Rc::clone(&self.places));
        let heard = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            let Some(pick) = pick_at(&instance, &places.borrow(), &event) else { return };
            match field(&event, "type").as_string().as_deref() {
                Some("click") => then(pick),
                _ => instance.surface().set_cursor("pointer"),
            }
        });
        for event in ["click", "mousemove"] {
            self.instance.surface().on_pointer(event, heard.as_ref().unchecked_ref());
        }
        self.clicked.push(heard);
    }

    fn on_click(&mut self, what: &'static str, then: impl Fn(String) + 'static) {
        let clicked = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            if let Some(of) = field(&field(&event, "data"), what).as_string() {
                then(of);
            }
        });
        self.instance.on_event("click", clicked.as_ref().unchecked_ref());
        self.clicked.push(clicked);
    }

    /// Draws an option; `still` draws it without motion.
    pub fn draw(&mut self, option: &Value, still: bool) -> Result<(), JsValue> {
        let shape = shape(option);
        let like = self.shape.as_ref() == Some(&shape);
        let mut object = option.clone();
        object["animation"] = Value::Bool(!still);
        let object = json(&object)?;
        let tooltip = js_sys::Reflect::get(&object, &JsValue::from_str("tooltip"))?;
        js_sys::Reflect::set(&tooltip, &JsValue::from_str("formatter"), self.said.as_ref())?;
        self.instance.set_option(&object, !like)?;
        self.shape = Some(shape);
        *self.places.borrow_mut() = places(option);
        Ok(())
    }

    /// Shows a point of the first series as if it were pointed at.
    pub fn point_at(&self, point: usize) {
        let action = serde_json::json!({ "type": "showTip", "seriesIndex": 0, "dataIndex": point });
        // A point that is gone shows nothing.
        let _ = json(&action).and_then(|action| self.instance.dispatch_action(&action));
    }

    pub fn resize(&self) {
        self.instance.resize();
    }
}

impl Drop for Chart {
    fn drop(&mut self) {
        self.instance.dispose();
    }
}

/// Does a figure need what [`load_maps`] brings?
pub fn needs_maps(figure: &Figure) -> bool {
    figure.plot.ramp.is_some()
}

/// Fetches the part of ECharts that draws heat maps; a second call is answered at once.
pub async fn load_maps() -> Result<(), JsValue> {
    wasm_bindgen_futures::JsFuture::from(maps()?).await?;
    Ok(())
}

/// Words shown under the pointer: the name of the first mark there, as it is. (A template would write it escaped,
/// and the drawing escapes it once more.)
fn said(params: JsValue) -> JsValue {
    let first =
        if js_sys::Array::is_array(&params) { js_sys::Array::from(&params).get(0) } else { params };
    js_sys::Reflect::get(&first, &JsValue::from_str("name")).unwrap_or(JsValue::UNDEFINED)
}

/// Returns the name of the choice under the pointer.
fn pick_at(instance: &Instance, places: &[String], event: &JsValue) -> Option<String> {
    let [x, y] = ["offsetX", "offsetY"].map(|name| field(event, name).as_f64());
    let pixel = [x?, y?];
    if places.is_empty() || !instance.contains("grid", &pixel).ok()? {
        return None;
    }
    let axis = json(&serde_json::json!({ "xAxisIndex": 0 })).ok()?;
    let index = instance.place_at(&axis, pixel[0]).ok()?;
    places.get(index as usize).cloned()
}

/// Reads the names of the choices along the x-axis from the first series, which holds them.
fn places(option: &Value) -> Vec<String> {
    let spoken = option["series"][0]["data"].as_array();
    let picks = spoken.into_iter().flatten().filter(|_| option["series"][0]["name"] == "said");
    picks.filter_map(|place| place["pick"].as_str().map(str::to_owned)).collect()
}

fn field(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}

fn json(value: &Value) -> Result<JsValue, JsValue> {
    js_sys::JSON::parse(&value.to_string())
}

fn shape(option: &Value) -> Vec<usize> {
    let length = |value: &Value| value.as_array().map_or(0, Vec::len);
    let series = option["series"].as_array();
    let lengths = series.into_iter().flatten().map(|series| length(&series["data"]));
    std::iter::once(length(&option["grid"])).chain(lengths).collect()
}
