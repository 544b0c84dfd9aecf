// The parts of ECharts that heat maps need. Named by their files: through the lists of all parts
// they would end up in the bundle that travels first.
import { use } from "echarts/core";
import { install as HeatmapChart } from "echarts/lib/chart/heatmap/install.js";
import { install as VisualMapContinuousComponent } from "echarts/lib/component/visualMap/installVisualMapContinuous.js";

use([HeatmapChart, VisualMapContinuousComponent]);
