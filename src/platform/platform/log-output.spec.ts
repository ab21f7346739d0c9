import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogOutput } from './log-output.js';

const line = (name: string, length = 10): string => `${name.padEnd(length - 1, '.')}\n`;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

describe('the output of the log', () => {
  let folder: string;
  const readers: number[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-log-'));
  });

  afterEach(() => {
    // Files being written stay open: the output may still hold lines for them, and their descriptors could be reused.
    for (const reader of readers.splice(0)) closeSync(reader);
    rmSync(folder, { recursive: true });
  });

  /** A pipe with a slow reader, like standard output: writing to it does not block. */
  function pipe(): { readonly read: () => string; readonly write: number } {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const from = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    readers.push(from);
    const write = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const read = (): string => {
      const chunk = Buffer.alloc(1_048_576);
      try {
        return chunk.toString('utf8', 0, readSync(from, chunk));
      } catch {
        return '';
      }
    };
    return { read, write };
  }

  it('writes complete lines in order', async () => {
    const path = join(folder, 'log');
    const output = new LogOutput(openSync(path, 'w'));
    const lines = Array.from({ length: 1_000 }, (_, index) => line(`${index}`));
    for (const each of lines) output.write(each);
    await until(() => readFileSync(path, 'utf8').length === 10_000);
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
  });

  it('buffers a bounded amount while nobody reads, counts lost lines, and reports them once somebody does', async () => {
    const { read, write } = pipe();
    const output = new LogOutput(write, 100_000);
    let lost = 0;
    output.onLost((lines) => (lost += lines));
    for (let count = 0; count < 2_000; count++) output.write(line(`${count}`, 100));
    expect(lost).toBeGreaterThan(900);
    let text = '';
    await until(() => (text += read()).includes('log_lines_lost'));
    expect(text).toContain(`"event":"app.log_lines_lost","count":${lost}}\n`);
    expect(text.match(/^\d+\.+$/gm)).toHaveLength(2_000 - lost);
  });

  it('ends after half a second if its reader has stopped', () => {
    const output = new LogOutput(pipe().write);
    for (let count = 0; count < 2_000; count++) output.write(line(`${count}`, 100));
    let ms = 0;
    const looks = jest.spyOn(performance, 'now').mockImplementation(() => (ms += 50));
    output.writeRest();
    expect([ms, looks.mock.calls.length]).toEqual([550, 11]);
  });

  it('keeps lines for a while on a full disk, then counts them as lost, and does not wait at the end', async () => {
    const output = new LogOutput(openSync('/dev/full', 'w'), 100);
    let lost = 0;
    output.onLost((lines) => (lost += lines));
    for (let count = 0; count < 30; count++) {
      output.write(line(`${count}`));
      await turn();
    }
    expect(lost).toBe(20);
    output.writeRest();
  });

  it('does not wait at the end for an output that fails, even if that was not known yet', () => {
    const full = new LogOutput(openSync('/dev/full', 'w'));
    full.write(line('none'));
    full.write(line('none'));
    full.writeRest();
    const { write } = pipe();
    for (const reader of readers.splice(0)) closeSync(reader);
    const unread = new LogOutput(write);
    unread.write(line('none'));
    unread.write(line('none'));
    unread.writeRest();
  });

  it('at the end writes buffered lines after the current one', async () => {
    const path = join(folder, 'log');
    const output = new LogOutput(openSync(path, 'w'));
    const lines = Array.from({ length: 20_000 }, (_, index) => line(`${index}`));
    for (const each of lines) output.write(each);
    output.writeRest();
    await until(() => readFileSync(path, 'utf8').length === 200_000);
    expect(readFileSync(path, 'utf8').split('\n').sort()).toEqual(lines.join('').split('\n').sort());
  });

  it('continues within a line at which a slow reader stopped', async () => {
    const { read, write } = pipe();
    const output = new LogOutput(write);
    const lines = Array.from({ length: 3_000 }, (_, index) => line(`${index}`, 1_000));
    for (const each of lines) output.write(each);
    let text = '';
    await until(() => (text += read()).length === 3_000_000);
    expect(text).toBe(lines.join(''));
  });
});
