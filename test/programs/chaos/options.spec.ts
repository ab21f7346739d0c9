import { commandOf, readOptions } from '../../../chaos/options.js';

describe('arguments of a chaos run', () => {
  it('default to many strikes', () => {
    expect(readOptions(['--seed', '1'], {})).toMatchObject({
      strikeEvery: null,
      pullEvery: 15,
      rate: 150,
      server: null,
    });
  });

  it('may disable strikes, but must not be negative or nonsense', () => {
    expect(readOptions(['--strike-every', '0'], {}).strikeEvery).toBe(0);
    for (const given of ['-1', 'often', '']) refuses(`--strike-every=${given}`, 'Must be a number from 0 on.');
    refuses('--pull-every=0', 'Must be a number above 0.');
    refuses('--postgres', '--postgres needs TEST_DATABASE_URL or --server');
  });

  /** Ends with 2, the exit code of wrong usage. */
  function refuses(argument: string, reason: string): void {
    const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`ends with ${code}`);
    });
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(() => readOptions([argument], {})).toThrow('ends with 2');
    expect(said.mock.calls.join()).toContain(reason);
    exit.mockRestore();
    said.mockRestore();
  }

  it('can be printed as the command that repeats the run', () => {
    const given = ['--seed', '7', '--minutes', '2', '--rate', '9', '--people', '3'];
    const more = ['--strike-every', '7', '--pull-every', '60'];
    expect(commandOf(readOptions([...given, ...more], {}))).toBe(`npm run chaos -- ${[...given, ...more].join(' ')}`);
  });
});
