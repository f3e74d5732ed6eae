//! Plotly charts and the report.
