import { resolve } from 'node:path';
import { alarmCodes, alarmList, runbookOf } from '../src/operations/alarms/alarm-list.js';
import { anchorsOf } from './support/headings.js';

describe('docs/runbook.md', () => {
  const pages = anchorsOf(resolve('docs/runbook.md'), 2, 2);

  it('has a page for every alarm, in the order of their urgency, and no other', () => {
    expect(pages).toEqual(alarmCodes);
    expect(alarmCodes.map(runbookOf)).toEqual(pages.map((page) => `docs/runbook.md#${page}`));
  });

  it('covers alarms that have one sentence each', () => {
    expect(Object.values(alarmList).filter(({ message }) => !/^[A-Z].*\.$/.test(message))).toEqual([]);
  });
});
