import { apart, type Counted } from './apart.js';

const interval = (start: number, end: number, traits = ''): Counted => ({ start, end, traits });
const lists = (...amounts: Counted[]): string[] =>
  apart(amounts).map((own) => own.map(({ start, end }) => `${start}-${end}`).join(' '));

describe('amounts of one device', () => {
  it('stay in one list while they follow each other', () => {
    expect(lists(interval(0, 60), interval(60, 120), interval(180, 240))).toEqual(['0-60 60-120 180-240']);
    expect(lists()).toEqual([]);
  });

  it('are of two devices that the source does not tell apart, if equal ones overlap', () => {
    const both = [interval(0, 60), interval(2, 62), interval(60, 120), interval(62, 122)];
    expect(lists(...both)).toEqual(['0-60 60-120', '2-62 62-122']);
    expect(lists(interval(0, 60), interval(5, 20), interval(20, 35), interval(60, 120))).toEqual([
      '0-60 60-120',
      '5-20 20-35',
    ]);
  });

  it('are parts of one thing if their traits differ, and doses if they have no length', () => {
    const minutes = ['low', 'medium', 'high'].map((intensity) => interval(0, 20, intensity));
    expect(lists(...minutes)).toEqual(['0-20 0-20 0-20']);
    expect(lists(interval(0, 60), interval(5, 5), interval(5, 5))).toEqual(['0-60 5-5 5-5']);
  });

  it('follow each other also where their bounds are imprecise', () => {
    expect(lists(interval(0, 61), interval(60, 121), interval(120, 181))).toEqual(['0-61 60-121 120-181']);
    expect(lists(interval(0, 60), interval(50, 110))).toEqual(['0-60', '50-110']);
  });
});
