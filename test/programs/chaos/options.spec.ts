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

  it('may ask for no strikes at all, but not for less or for nonsense', () => {
    expect(readOptions(['--strike-every', '0'], {}).strikeEvery).toBe(0);
    for (const given of ['-1', 'often', '']) {
      expect(() => readOptions([`--strike-every=${given}`], {})).toThrow('--strike-every must be a number from 0 on.');
    }
    expect(() => readOptions(['--pull-every', '0'], {})).toThrow('--pull-every must be a number above 0.');
  });

  it('come back as the command that makes the same run again', () => {
    const given = ['--seed', '7', '--minutes', '2', '--rate', '9', '--people', '3'];
    const more = ['--strike-every', '7', '--pull-every', '60'];
    expect(commandOf(readOptions([...given, ...more], {}))).toBe(`npm run chaos -- ${[...given, ...more].join(' ')}`);
  });
});
