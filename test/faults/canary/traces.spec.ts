import { Receiver } from '../../changes/subscriptions/support/receiver.js';
import { Collector } from '../../platform/platform/support/collector.js';
import { Story } from './support/story.js';

it('a person whose every value is marked is in no span', async () => {
  const story = new Story();
  const [collector, receiver] = [await Collector.start(), await Receiver.start()];
  await story.begin({
    ...{ PUSH_SIGNING_KEYS: 'k'.repeat(32), PUSH_ALLOWED_NETWORKS: '127.0.0.1' },
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  await story.app.admin('POST', '/subscriptions', { url: receiver.url });
  await story.signsUp();
  await story.measures();
  await story.app.advance(7_200, 4);
  await story.orders();
  await story.resultsCome();
  await story.asksForMuch();
  await story.breaks();
  await story.app.advance(7_200, 4);
  await story.close();
  await Promise.all([collector.close(), receiver.close()]);
  const names = new Set(collector.spans.map(({ name }) => name));
  expect([...names].toSorted()).toEqual([
    ...['http.request', 'inbox.apply', 'inbox.attempt', 'pull.page', 'pull.store', 'pull.turn', 'push'],
    ...['upstream.call', 'webhook.delivery'],
  ]);
  const text = collector.texts.join('\n');
  expect([...story.secrets.in(text), ...story.names.in(text)]).toEqual([]);
});
