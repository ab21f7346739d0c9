import type { ExportLine } from './export-lines.js';

/** The page loads no scripts, styles or images. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

const style = `body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; color: #222; background: #fff }
table { border-collapse: collapse; margin: 0.5rem 0 }
th, td { border: 1px solid #bbb; padding: 0.2rem 0.5rem; text-align: left; vertical-align: top }
td { max-width: 24rem; overflow-wrap: break-word }
th { background: #eee; white-space: nowrap }`;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Renders an export as one HTML page for people: a heading and a table for each kind of item. Text is written as it
 * arrives, because an export may not fit in memory.
 */
export class ExportPage {
  private type = '';
  /** Column names of the open table; empty if none is open. */
  private columns: readonly string[] = [];

  /** HTML for the next line of the export. */
  of(line: ExportLine): string {
    if (line.type === 'header') return this.head(line as Fields);
    if (line.type === 'footer') return this.end(fieldsOf(line.counts));
    return this.item(String(line.type), fieldsOf(line.data));
  }

  private head({ account_id, exported_at, version }: Fields): string {
    const title = `Stored data of ${text(account_id)}`;
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>Exported at ${escaped(text(exported_at))} by version ${escaped(text(version))}. Times are in UTC.</p>
`;
  }

  private item(type: string, data: Fields): string {
    const names = Object.keys(data);
    const isSame = type === this.type && names.join() === this.columns.join();
    const heading = type === this.type ? '' : `<h2>${escaped(title(type))}</h2>\n`;
    const start = isSame ? '' : `${this.close()}${heading}<table>\n${row('th', names)}`;
    this.type = type;
    this.columns = names;
    return start + row('td', Object.values(data).map(text));
  }

  private end(counts: Fields): string {
    const rows = Object.entries(counts).map(([type, count]) => row('td', [title(type), text(count)]));
    return `${this.close()}<h2>Number of items</h2>\n<table>\n${rows.join('')}</table>\n</body>\n</html>\n`;
  }

  private close(): string {
    return this.columns.length === 0 ? '' : '</table>\n';
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : { value };
}

function row(tag: 'th' | 'td', cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>\n`;
}

/** `order_transaction` as `Order transaction`. */
function title(type: string): string {
  return (type.charAt(0).toUpperCase() + type.slice(1)).replaceAll('_', ' ');
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
