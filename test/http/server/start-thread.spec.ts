import { once } from 'node:events';
import { startThread } from '../../../src/platform/platform/start-thread.js';

const thread = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import 'node:fs';
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage(workerData + process.env.STARTED_IN);
  `)}`,
);

describe('startThread', () => {
  beforeEach(() => {
    process.env['WATCH_REPORT_DEPENDENCIES'] = '1';
    process.env['STARTED_IN'] = 'here';
  });
  afterEach(() => {
    delete process.env['WATCH_REPORT_DEPENDENCIES'];
    delete process.env['STARTED_IN'];
  });

  it('receives the messages of the thread and nothing else, even under node --watch', async () => {
    const heard: unknown[] = [];
    const started = startThread(thread, { workerData: 'begun ' });
    started.on('message', (message) => heard.push(message));
    await once(started, 'exit');
    expect(heard).toEqual(['begun here']);
  });
});
