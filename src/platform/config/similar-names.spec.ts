import { nearestName } from './similar-names.js';

const names = ['heartrate', 'heart_rate_alert', 'hrv', 'sleep', 'sleep_cycle', 'steps'];

describe('the nearest name', () => {
  it.each([
    ['heart_rate', 'heartrate'],
    ['heart-rate', 'heartrate'],
    ['heart_rate_alerts', 'heart_rate_alert'],
    ['heartRate', 'heartrate'],
    ['sleeps', 'sleep'],
    ['step', 'steps'],
    ['sleep_cycles', 'sleep_cycle'],
    ['xyz', undefined],
    ['', undefined],
  ])('to %s is %s', (name, nearest) => {
    expect(nearestName(name.toLowerCase(), names, 0.4)).toBe(nearest);
  });
});
