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
    ['is the one there is', [record('a')], ['a']],
    ['is none without any', [], []],
    ['is not one that was cancelled', [record('a', { status: 'cancelled' })], []],
    ['is not one that is over', [record('a', { event_status: 'completed' })], []],
    ['is the one that was not cancelled', [record('a', { status: 'cancelled', version: 9 }), record('b')], ['b']],
    ['is the newest where the end of the older was missed', [record('b'), record('a', { version: 2 })], ['a']],
    ['is one, even where two are of the same instant', [record('b'), record('a')], ['b']],
    ['is one for each order', [record('a'), record('b', { order_id: 'p' })], ['a', 'b']],
    ['may be in a state nobody knows yet', [record('a', { status: 'on_hold', event_status: null })], ['a']],
  ])('%s [appointments#life-of-an-appointment]', (_, all, active) => {
    expect([...activeAppointments(all)]).toEqual(active);
    expect([...activeAppointments([...all].reverse())].sort()).toEqual(active);
  });
});
