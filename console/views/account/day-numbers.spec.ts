import { numbersOfDay } from './day-numbers.js';

describe('numbers of a day', () => {
  it.each([
    ['12,345', { sum: 12_345, unit: 'count' }],
    ['1,234.5 kcal', { sum: 1234.5, unit: 'kcal' }],
    ['61.33 (48 to 104) bpm', { mean: 61.333, min: 48, max: 104, unit: 'bpm' }],
    ['–', { unit: null }],
    [
      '121 (110 to 130) / 79 (70 to 88) mmHg',
      { systolic: { mean: 121, min: 110, max: 130 }, diastolic: { mean: 79, min: 70, max: 88 }, unit: 'mmHg' },
    ],
  ])('are shown as %s', (words, day) => {
    expect(numbersOfDay(day)).toBe(words);
  });
});
