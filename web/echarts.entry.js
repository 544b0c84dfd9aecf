// The parts of ECharts that the charts use, as a global `echarts`. It travels behind the first
// pictures: a part comes in with the first chart that needs it, and what only a later view needs
// comes when it is asked for.
//
// Parts are named by their files: through ECharts' lists of all parts, those of a later view would
// end up in the bundle that travels first.
import * as core from "echarts/core";
import { install as BarChart } from "echarts/lib/chart/bar/install.js";
import { install as LineChart } from "echarts/lib/chart/line/install.js";
import { install as ScatterChart } from "echarts/lib/chart/scatter/install.js";
import { install as AriaComponent } from "echarts/lib/component/aria/install.js";
import { install as GridComponent } from "echarts/lib/component/grid/install.js";
import { install as LegendComponent } from "echarts/lib/component/legend/installLegendPlain.js";
import { install as MarkLineComponent } from "echarts/lib/component/marker/installMarkLine.js";
import { install as MarkPointComponent } from "echarts/lib/component/marker/installMarkPoint.js";
import { install as TitleComponent } from "echarts/lib/component/title/install.js";
import { install as TooltipComponent } from "echarts/lib/component/tooltip/install.js";
import { install as SVGRenderer } from "echarts/lib/renderer/installSVGRenderer.js";

core.use([
  BarChart,
  LineChart,
  ScatterChart,
  AriaComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  MarkPointComponent,
  TitleComponent,
  TooltipComponent,
  SVGRenderer,
]);

const { init, getInstanceByDom, connect, disconnect, version } = core;
globalThis.echarts = {
  init,
  getInstanceByDom,
  connect,
  disconnect,
  version,
  // Heat maps, once this promise resolves.
  maps: () => import("./echarts.maps.js"),
};
