/** A line of an export: `data` between header and footer. */
export interface ExportLine {
  readonly type?: unknown;
  readonly counts?: unknown;
  readonly data?: unknown;
}

/** Reads an export stream to detect truncation: a complete export ends with its footer. */
export class ExportLines {
  /** Lines between header and footer. */
  rows = 0;
  /** Row counts of the footer by type; null before the footer. */
  counts: Readonly<Record<string, number>> | null = null;

  private readonly decoder = new TextDecoder();
  private rest = '';

  /** Returns the lines that this chunk completed. */
  take(chunk: Uint8Array): ExportLine[] {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.map((line) => this.read(line));
  }

  /** True if the footer was the last line and its counts match the rows. */
  get complete(): boolean {
    if (this.counts === null || this.rest !== '') return false;
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0) === this.rows;
  }

  private read(line: string): ExportLine {
    const read = JSON.parse(line) as ExportLine;
    const { type, counts } = read;
    const isFooter = type === 'footer' && typeof counts === 'object' && counts !== null;
    this.counts = isFooter ? (counts as Record<string, number>) : null;
    if (type !== 'header' && type !== 'footer') this.rows += 1;
    return read;
  }
}
