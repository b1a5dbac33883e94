//! Tables as files.

use app::error::{ApiError, ErrorCode};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Format {
    #[default]
    Csv,
    Jsonl,
}

/// A file to be saved under this name.
pub(super) fn download(name: &'static str, format: Format, body: Body) -> Response {
    let (content_type, ending) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
        Format::Jsonl => ("application/jsonl", "jsonl"),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    let disposition = format!("attachment; filename=\"signalbox-{name}.{ending}\"");
    if let Ok(disposition) = HeaderValue::try_from(disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

/// Rows as CSV.
pub(super) fn csv<const N: usize>(
    rows: impl Iterator<Item = [String; N]>,
) -> Result<Vec<u8>, ApiError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let row = row.map(harmless);
        writer.write_record(&row).map_err(failed)?;
    }
    writer.into_inner().map_err(failed)
}

/// An object a line.
pub(super) fn json_lines<T: Serialize>(items: &[T]) -> Result<Vec<u8>, ApiError> {
    let mut text = Vec::new();
    for item in items {
        serde_json::to_writer(&mut text, item).map_err(failed)?;
        text.push(b'\n');
    }
    Ok(text)
}

/// Spreadsheets take a cell that begins like a formula for one; names are what people choose.
fn harmless(cell: String) -> String {
    match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{cell}"),
        false => cell,
    }
}

fn failed(error: impl std::fmt::Display) -> ApiError {
    tracing::error!(%error, "an export could not be written");
    ApiError::new(ErrorCode::Internal, "The export could not be written.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_no_formulas() {
        let row = ["a,b", "say \"x\"", "=1+1", "ü"].map(str::to_owned);
        let text = csv(std::iter::once(row)).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "\"a,b\",\"say \"\"x\"\"\",'=1+1,ü\n"
        );
    }
}
