import { ExportLines } from './export-lines.js';

const header = { type: 'header', account_id: 'patient-1' };
const row = (text: string): object => ({ type: 'message', data: { text } });
const footer = (message: number): object => ({ type: 'footer', counts: { message, sample: 0 } });

/** Splits the input into chunks at any byte, even inside a character. */
function read(objects: readonly object[], tail = '\n', size = 7): ExportLines {
  const bytes = Buffer.from(objects.map((object) => JSON.stringify(object)).join('\n') + tail);
  const lines = new ExportLines();
  for (let at = 0; at < bytes.length; at += size) lines.take(bytes.subarray(at, at + size));
  return lines;
}

describe('an export', () => {
  it('is complete with its footer at the end', () => {
    const lines = read([header, row('Grüße ✓'), row('b'), footer(2)]);
    expect(lines).toMatchObject({ complete: true, rows: 2, counts: { message: 2, sample: 0 } });
  });

  it.each<[string, ExportLines]>([
    ['is empty', new ExportLines()],
    ['has no footer', read([header, row('a')])],
    ['ends in the middle of its footer', read([header, row('a'), footer(1)], '')],
    ['goes on after its footer', read([header, footer(1), row('a')])],
    ['has fewer rows than its footer tells', read([header, row('a'), footer(2)])],
  ])('is incomplete when it %s', (_, lines) => {
    expect(lines.complete).toBe(false);
  });
});
