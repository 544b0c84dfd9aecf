//! Report to ECharts option, as JSON: pure functions, tested natively, no browser types.
