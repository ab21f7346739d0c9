import { ExportPage } from './export-page.js';

const attack = `<script>alert("x")</script><img src='https://evil.example/x'>&amp;`;

function pageOf(...lines: { type: string; data?: unknown; counts?: unknown }[]): string {
  const page = new ExportPage();
  return lines.map((line) => page.of(line)).join('');
}

describe('an export as a page', () => {
  const header = { type: 'header', account_id: attack, exported_at: attack, version: attack };

  it('escapes everything, even names, and calls no other host', () => {
    const html = pageOf(
      header,
      { type: attack, data: { [attack]: attack, nested: { [attack]: [attack] } } },
      { type: 'footer', counts: { [attack]: attack } },
    );
    const tags = new Set([...html.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, tag]) => tag?.toLowerCase()));
    const known = [
      '!doctype',
      'html',
      'head',
      'meta',
      'title',
      'style',
      'body',
      'h1',
      'h2',
      'p',
      'table',
      'tr',
      'th',
      'td',
    ];
    expect([...tags].sort()).toEqual(known.sort());
    expect(html).not.toMatch(/<[^>]*\s(src|href|on\w+)\s*=/i);
    expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
    expect(html).toContain('&amp;amp;');
    expect(html).toContain('default-src &#39;none&#39;');
  });

  it('has a heading for each kind, and a new table if the fields differ', () => {
    const html = pageOf(
      header,
      { type: 'account', data: { id: 1 } },
      { type: 'record', data: { time: 't1', value: 1 } },
      { type: 'record', data: { time: 't2', value: null } },
      { type: 'record', data: { time: 't3', note: { a: true } } },
      { type: 'footer', counts: { account: 1, record: 3 } },
    );
    expect([...html.matchAll(/<h2>(.*)<\/h2>/g)].map(([, name]) => name)).toEqual([
      'Account',
      'Record',
      'Number of items',
    ]);
    expect(html.match(/<table>/g)).toHaveLength(4);
    expect(html.match(/<\/table>/g)).toHaveLength(4);
    expect(html).toContain(
      '<tr><th>time</th><th>value</th></tr>\n<tr><td>t1</td><td>1</td></tr>\n<tr><td>t2</td><td></td></tr>',
    );
    expect(html).toContain('<tr><td>t3</td><td>{&quot;a&quot;:true}</td></tr>');
    expect(html.endsWith('</body>\n</html>\n')).toBe(true);
  });
});
