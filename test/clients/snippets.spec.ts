import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TestApp } from '../support/test-app.js';

/*
 * The TypeScript of the documents for app developers: the snippets of a document are compiled as one program against
 * the client, then run against the service.
 */

const documents = ['README.md', 'docs/app.md', 'clients/typescript/README.md'];
const snippet = /```(?:ts|typescript|js|javascript)\n(.*?)```/gs;
const account = 'snippets-1';
const resources = ['sleep', 'sleep_cycle', 'steps', 'heartrate', 'body_weight'];

/** What the snippets take from the app around them. */
const surroundings = 'declare function currentAccessToken(): Promise<string>;\ndeclare function showBlocked(): void;\n';
const given = `globalThis.currentAccessToken = () => process.env.TOKEN;
globalThis.showBlocked = () => undefined;
`;

function programOf(document: string): string {
  const parts = [...readFileSync(resolve(document), 'utf8').matchAll(snippet)].map(([, text]) => text);
  return parts.join('\n').replaceAll("'@pulsekeep/client'", "'./index.js'");
}

describe('the TypeScript snippets', () => {
  const programs = documents.map((name) => ({ name, text: programOf(name) })).filter(({ text }) => text !== '');
  const client = resolve('clients/typescript');
  let folder: string;
  let app: TestApp;
  let compiled: { readonly status: number | null; readonly stdout: string };

  beforeAll(async () => {
    folder = mkdtempSync(join(client, 'snippets-'));
    mkdirSync(join(folder, 'src'));
    for (const name of ['api', 'client', 'error', 'index'])
      writeFileSync(join(folder, 'src', `${name}.ts`), readFileSync(join(client, 'src', `${name}.ts`)));
    writeFileSync(join(folder, 'src', 'surroundings.d.ts'), surroundings);
    for (const [index, { text }] of programs.entries()) writeFileSync(join(folder, 'src', `part-${index}.ts`), text);
    const compilerOptions = { rootDir: './src', outDir: './made', target: 'ES2022', lib: ['ES2022', 'DOM'] };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['src'] }),
    );
    const compiler = [resolve('node_modules/typescript/bin/tsc'), '-p', folder];
    const { status, stdout } = spawnSync(process.execPath, compiler, { encoding: 'utf8' });
    compiled = { status, stdout };
    app = await TestApp.create({ env: { APP_RESULTS: 'final', SYNC_RESOURCES: resources.join(',') } });
    await app.as(account, 'POST', '/me/sign-in-token', {});
    const link = await app.as<{ link_token: string }>(account, 'POST', '/me/link-token', { provider: 'oura' });
    const history = { days: 3, per_day: 4, so_far: true };
    await app.sandbox.control.link({ link_token: link.body.link_token, provider: 'oura', history, resources });
    await app.advance(3_600, 4);
    const [user_id = ''] = await app.upstreamUsers();
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.sandbox.control.walkOrder(order.id);
    await app.advance(60);
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await app.close();
  });

  it('are in the documents', () => {
    expect(programs.map(({ name }) => name)).toEqual(['docs/app.md', 'clients/typescript/README.md']);
  });

  it('compile', () => {
    expect(compiled).toEqual({ status: 0, stdout: '' });
  });

  it.each(programs.map(({ name }, index) => [name, index] as const))('of %s run and show values', async (_, index) => {
    const path = join(folder, 'made', `part-${index}.js`);
    const made = readFileSync(path, 'utf8').replaceAll('https://health.example.com', app.url);
    writeFileSync(path, made);
    writeFileSync(join(folder, 'made', 'given.js'), given);
    const program = ['--import', join(folder, 'made', 'given.js'), path];
    const env = { ...process.env, TOKEN: await app.appToken(account) };
    const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { out: '', error: '' };
    child.stdout.on('data', (chunk) => void (said.out += String(chunk)));
    child.stderr.on('data', (chunk) => void (said.error += String(chunk)));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, error: said.error }).toEqual({ code: 0, error: '' });
    expect(said.out.split('\n').length).toBeGreaterThan(3);
    expect(said.out.split('\n').filter((line) => /undefined|NaN|Invalid Date/.test(line))).toEqual([]);
  });
});
