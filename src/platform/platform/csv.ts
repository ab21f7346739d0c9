export type CsvCell = string | number | boolean | null;

/** One line as in RFC 4180, without its CRLF. An apostrophe precedes text that a spreadsheet would run as a formula. */
export function csvLine(cells: readonly CsvCell[]): string {
  return cells.map(cell).join(',');
}

function cell(value: CsvCell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
