import { closeSync, openSync } from 'node:fs';
import { descriptorOutput, LogWriter, type Output } from './log-writer.js';

type Done = Parameters<Output>[1];

/** An output that does what a test says to each chunk. */
function scripted() {
  const asked: { text: string; done: Done }[] = [];
  const output: Output = (chunk, done) => void asked.push({ text: chunk.toString(), done });
  const take = (): { text: string; done: Done } => asked.shift() ?? { text: '', done: () => undefined };
  return { output, asked, take };
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const line = (name: string, length = 10): string => `${name.padEnd(length - 1, '.')}\n`;

describe('the way of a line of the log', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is one chunk at a time, in order, whatever a write takes of it', () => {
    const { output, take, asked } = scripted();
    const writer = new LogWriter({ output });
    for (const name of ['a', 'b', 'c']) writer.write(line(name));
    const first = take();
    expect([first.text, asked.length]).toEqual([line('a'), 0]);
    first.done(null, 4);
    const rest = take();
    expect(rest.text).toBe(line('a').slice(4));
    rest.done(null, 6);
    expect(take().text).toBe(line('b') + line('c'));
  });

  it('holds no more than it may while nobody reads, counts what is lost, and says so once somebody does', () => {
    const { output, take } = scripted();
    const writer = new LogWriter({ output, maxBytes: 100 });
    let lost = 0;
    writer.onLost((lines) => (lost += lines));
    for (let count = 0; count < 1_000; count++) writer.write(line('x'));
    expect(lost).toBe(990);
    take().done(null, 10);
    const late = take();
    expect(late.text).toContain('"event":"app.log_lines_lost","count":990}\n');
    expect(late.text.startsWith(line('x').repeat(9))).toBe(true);
    late.done(null, Buffer.byteLength(late.text));
    writer.write(line('y'));
    expect(take().text).toBe(line('y'));
  });

  it('begins anew a second after a failure, with a line of its own where one was cut off', () => {
    const { output, take, asked } = scripted();
    const writer = new LogWriter({ output });
    let lost = 0;
    writer.onLost((lines) => (lost += lines));
    writer.write(line('a'));
    take().done(null, 3);
    take().done(failure('ENOSPC'), 0);
    writer.write(line('b'));
    expect([lost, asked.length]).toEqual([1, 0]);
    jest.advanceTimersByTime(1_000);
    expect(take().text).toMatch(/^\nb\.+\n\{.*"count":1\}\n$/);
  });

  it('loses nothing to an output that is busy', () => {
    const { output, take } = scripted();
    const writer = new LogWriter({ output });
    writer.write(line('a'));
    take().done(failure('EAGAIN'), 0);
    jest.advanceTimersByTime(50);
    expect(take().text).toBe(line('a'));
  });

  it('ends with the process, bounded: whole lines, while the output takes them', () => {
    const writer = new LogWriter({ output: () => undefined });
    for (const name of ['a', 'b', 'c', 'd']) writer.write(line(name));
    const written: string[] = [];
    const answers = [3, 100, 0, 100, -1];
    writer.flushNow(60_000, (chunk) => {
      const answer = Math.min(answers.shift() ?? -1, chunk.length);
      if (answer > 0) written.push(chunk.toString().slice(0, answer));
      return answer;
    });
    expect(written.join('')).toBe(line('b') + line('c'));
  });
});

describe('a full disk', () => {
  it('costs lines, and nothing else', async () => {
    const descriptor = openSync('/dev/full', 'w');
    const writer = new LogWriter({ output: descriptorOutput(descriptor) });
    const lost = new Promise<number>((resolve) => writer.onLost(resolve));
    writer.write(line('a'));
    expect(await lost).toBe(1);
    closeSync(descriptor);
  });
});
