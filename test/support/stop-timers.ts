/**
 * From now on time limits end only by `jest.advanceTimersByTime`, so that none ends what a slow machine still does.
 * `jest.useRealTimers` ends that.
 */
export function stopTimers(): void {
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setInterval'],
  });
}
