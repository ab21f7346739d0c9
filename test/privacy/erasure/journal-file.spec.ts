import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginJournal, JournalWriter, readJournal } from '../../../src/privacy/erasure/journal-file.js';

describe('the file of the erasure journal', () => {
  let folder: string;
  let path: string;
  const entry = (erasure: string) => ({
    erasure,
    at: 1,
    names: [
      { digest: 'd1', key_id: 'k' },
      { digest: 'd2', key_id: 'k' },
    ],
    users: ['u1', 'u2'],
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-journal-file-'));
    path = join(folder, 'erasures');
    await beginJournal(path, 'db');
    await new JournalWriter(path, 'db').add(entry('first'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (): string[] => readJournal(path, 'db').map(({ erasure }) => erasure);

  it('is read without a line that a crash cut off, wherever that was, and is continued', async () => {
    const before = readFileSync(path, 'utf8');
    await new JournalWriter(path, 'db').add(entry('second'));
    const line = readFileSync(path, 'utf8').slice(before.length, -1);
    for (let length = 1; length < line.length; length++) {
      writeFileSync(path, before + line.slice(0, length));
      expect(read()).toEqual(['first']);
      await new JournalWriter(path, 'db').add(entry('third'));
      expect(read()).toEqual(['first', 'third']);
    }
    writeFileSync(path, before + line);
    expect(read()).toEqual(['first', 'second']);
  });

  it('is refused if a complete line is damaged', () => {
    writeFileSync(path, readFileSync(path, 'utf8').replace('"at":1', '"at":'));
    expect(read).toThrow('is damaged');
  });
});
