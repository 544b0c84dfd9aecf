//! The part of ECharts the page uses: tooltips, and points that one can choose. It travels behind the
//! first pictures, which are drawings of our own; `echarts` is a global once it is there.

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
    #[wasm_bindgen(method)]
    fn resize(this: &Instance);
    #[wasm_bindgen(method)]
    fn dispose(this: &Instance);
}

/// A drawing in a host element; disposed of when dropped.
pub struct Chart {
    instance: Instance,
    clicked: Vec<Closure<dyn FnMut(JsValue)>>,
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
        Ok(Self { instance, clicked: Vec::new(), said: Closure::new(said), shape: None })
    }

    /// Calls back with the plan of a point that is clicked on.
    pub fn on_plan(&mut self, then: impl Fn(String) + 'static) {
        self.on_click("plan", then);
    }

    /// Calls back with what choosing the point or the cell that is clicked on is called.
    pub fn on_pick(&mut self, then: impl Fn(String) + 'static) {
        self.on_click("pick", then);
    }

    fn on_click(&mut self, what: &'static str, then: impl Fn(String) + 'static) {
        let field = |of: &JsValue, name: &str| {
            js_sys::Reflect::get(of, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
        };
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

/// What pointing at something says: the name of the first mark there, as it is. (A template would
/// write it escaped, and the drawing escapes it once more.)
fn said(params: JsValue) -> JsValue {
    let first =
        if js_sys::Array::is_array(&params) { js_sys::Array::from(&params).get(0) } else { params };
    js_sys::Reflect::get(&first, &JsValue::from_str("name")).unwrap_or(JsValue::UNDEFINED)
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
