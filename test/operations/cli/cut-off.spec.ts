import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driveCli, RunningCli } from './support/run-cli.js';

const header = '{"type":"header","account_id":"patient-1"}\n';

/** A service that stops in the middle of an export: its connection breaks, or nothing more comes. */
describe('an export that is cut off', () => {
  let server: Server;
  let url: string;
  let file: string;
  let folder: string;
  let breaks: boolean;
  /** Called with each request; false if it gets no response. */
  let responds: () => boolean;

  beforeEach(async () => {
    breaks = true;
    responds = () => true;
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-cli-'));
    file = join(folder, 'export.ndjson');
    server = createServer((_, response) => {
      if (!responds()) return;
      response.setHeader('x-request-id', 'synthetic');
      response.write(header, () => {
        if (breaks) response.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const command = (): string[] => ['export', 'patient-1', '--out', file];

  it('leaves no file that looks complete', async () => {
    const { code, err } = await driveCli(url, command());
    expect(code).toBe(1);
    expect(err).toContain('The export was truncated; the incomplete file was removed.');
    expect(existsSync(file)).toBe(false);
  });

  it('is kept on request, and still ends with 1', async () => {
    const { code, err } = await driveCli(url, [...command(), '--keep']);
    expect([code, err.includes('The export was truncated.')]).toEqual([1, true]);
    expect(header.startsWith(readFileSync(file, 'utf8'))).toBe(true);
  });

  it('by Ctrl-C leaves no file either', async () => {
    breaks = false;
    const cli = RunningCli.start([...command(), '--url', url], { PULSEKEEP_ADMIN_KEY: 'a-key' });
    await cli.says('export: ');
    cli.interrupt();
    const { code, err } = await cli.ended();
    expect([code, err.includes('Stopped; the export is incomplete.')]).toEqual([1, true]);
    expect(existsSync(file)).toBe(false);
  });

  it('says that it was stopped by Ctrl-C before the service responded', async () => {
    const asked = new Promise<void>((resolve) => {
      responds = () => (resolve(), false);
    });
    const cli = RunningCli.start([...command(), '--url', url], { PULSEKEEP_ADMIN_KEY: 'a-key' });
    await asked;
    cli.interrupt();
    const { code, err } = await cli.ended();
    expect([code, err, existsSync(file)]).toEqual([1, 'Stopped before the service responded.\n', false]);
  });
});
