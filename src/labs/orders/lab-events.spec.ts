import { activeAppointments } from './lab-events.js';

type Candidate = Parameters<typeof activeAppointments>[0][number];

const record = (appointment_id: string, over: Partial<Candidate> = {}): Candidate => ({
  appointment_id,
  order_id: 'o',
  status: 'confirmed',
  event_status: 'scheduled',
  version: 1,
  ...over,
});

describe('the active appointment', () => {
  it.each([
    ['is the only appointment', [record('a')], ['a']],
    ['is none without an appointment', [], []],
    ['is not a cancelled one', [record('a', { status: 'cancelled' })], []],
    ['is not a completed one', [record('a', { event_status: 'completed' })], []],
    ['is the one that was not cancelled', [record('a', { status: 'cancelled', version: 9 }), record('b')], ['b']],
    ['is the newest if the end of the older one was missed', [record('b'), record('a', { version: 2 })], ['a']],
    ['is one, even if two have the same time', [record('b'), record('a')], ['b']],
    ['is one per order', [record('a'), record('b', { order_id: 'p' })], ['a', 'b']],
    ['may have an unknown status', [record('a', { status: 'on_hold', event_status: null })], ['a']],
  ])('%s [appointments#life-of-an-appointment]', (_, all, active) => {
    expect([...activeAppointments(all)]).toEqual(active);
    expect([...activeAppointments([...all].reverse())].sort()).toEqual(active);
  });
});
