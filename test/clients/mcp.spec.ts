import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { adminKeys } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Tool {
  readonly name: string;
  readonly input: Readonly<Record<string, { readonly optional?: true }>>;
  readonly path: (input: Readonly<Record<string, string>>) => string;
}
interface Answer {
  readonly text: string;
  readonly isError: boolean;
}
interface Example {
  readonly tools: readonly Tool[];
  readonly reader: (given: { url: string; key: string }) => (tool: Tool, input: object) => Promise<Answer>;
}

describe('the MCP server of the examples', () => {
  const folder = resolve('examples/mcp');
  let app: TestApp;
  let example: Example;

  beforeAll(async () => {
    app = await TestApp.create();
    example = (await import(pathToFileURL(join(folder, 'tools.mjs')).href)) as Example;
    await app.connect('person', 'oura', { days: 2, per_day: 2 });
    await app.advance(3_600);
  });
  afterAll(() => app.close());

  const run = async (name: string, input: object, key: string = adminKeys.reader): Promise<Answer> => {
    const tool = example.tools.find((each) => each.name === name);
    if (!tool) throw new Error('There is no such tool.');
    return example.reader({ url: app.url, key })(tool, input);
  };
  const today = (): string => new Date(app.clock.now()).toISOString().slice(0, 10);

  it('reads with five tools what the routes answer, and reads of health data are in the access log', async () => {
    expect(example.tools.map(({ name }) => name)).toEqual([
      'find_account',
      'explain_day',
      'daily',
      'lab_work',
      'alarms',
    ]);
    const account_id = 'person';
    const given: Record<string, object> = {
      find_account: { query: 'person' },
      explain_day: { account_id, resource: 'sleep', day: today() },
      daily: { account_id, resources: 'steps,heartrate', first_day: undefined },
      lab_work: { account_id: '' },
      alarms: {},
    };
    for (const [name, input] of Object.entries(given)) {
      const answer = await run(name, input);
      expect([name, answer.isError, typeof JSON.parse(answer.text)]).toEqual([name, false, 'object']);
    }
    expect((await run('find_account', { query: 'person' })).text).toContain('"account_id":"person"');
    const log = await app.admin<{ data: { reason: string | null }[] }>('GET', '/access-log?account_id=person');
    const reasons = log.body.data.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason !== null)).toEqual(['assistant: daily']);
  });

  it('says what the service refused, and shows no key', async () => {
    const unknown = await run('daily', { account_id: 'nobody/../x', resources: 'steps' });
    expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining('(404)')]);
    const without = await run('daily', { account_id: 'person', resources: 'steps' }, adminKeys.viewer);
    expect([without.isError, without.text]).toEqual([true, expect.stringContaining('(403)')]);
    const wrong = await run('alarms', {}, 'no-key');
    expect([wrong.isError, wrong.text.includes('no-key')]).toEqual([true, false]);
    const [, , , , alarms] = example.tools;
    const away = await example.reader({ url: 'http://127.0.0.1:1', key: 'x' })(alarms as Tool, {});
    expect(away).toEqual({ text: 'The service is unreachable.', isError: true });
  });

  it('sends the key to no other machine without TLS', () => {
    expect(() => example.reader({ url: 'http://pulsekeep.example.com', key: 'x' })).toThrow('must be https');
    expect(() => example.reader({ url: app.url, key: '' })).toThrow('PULSEKEEP_KEY');
  });

  it('only reads, in fewer than 250 lines, and adds no package to this program', () => {
    const code = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
    const text = code.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
    expect(text.split('\n').length).toBeLessThan(250);
    expect(text).not.toMatch(/method:/);
    const own = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, object>;
    expect(Object.keys({ ...own['dependencies'], ...own['devDependencies'] })).not.toContain(
      '@modelcontextprotocol/sdk',
    );
  });
});
