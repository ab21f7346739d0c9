import { fetchAsSession } from './api.js';
import { eventsIn } from './event-stream.js';

/*
 * One stream per browser, because a browser opens only six connections to a host over HTTP/1.1: the tab that holds the
 * lock follows the changes and forwards them to the others. A hidden or paused tab releases the lock.
 */

const name = 'pulsekeep-changes';
const PAUSE_MS = 5_000;
/** For services without a feed, and roles that may not read it: the page then refreshes at intervals. */
const LONG_PAUSE_MS = 300_000;

/** Calls `onChange` for every change, whichever tab receives it, until `signal` aborts. */
export function followChanges(onChange: () => void, onStream: (isOpen: boolean) => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'change') onChange();
    else onStream(data === 'open');
  };
  const tell = (what: 'change' | 'open' | 'closed'): void => {
    if (what === 'change') onChange();
    else onStream(what === 'open');
    channel.postMessage(what);
  };
  signal.addEventListener('abort', () => channel.close(), { once: true });
  navigator.locks
    .request(name, { signal }, () => lead(tell, signal))
    // Aborted while waiting for the lock.
    .catch(() => undefined);
}

async function lead(tell: (what: 'change' | 'open' | 'closed') => void, signal: AbortSignal): Promise<void> {
  let after: string | undefined;
  while (!signal.aborted) {
    let pause = PAUSE_MS;
    try {
      after ??= await presentPosition(signal);
      const url = `/v1/changes?after=${encodeURIComponent(after)}`;
      const response = await fetchAsSession(url, { signal, headers: { accept: 'text/event-stream' } });
      if (response.ok && response.body) {
        tell('open');
        for await (const { event, id } of eventsOf(response.body)) {
          after = id ?? after;
          if (event === 'change') tell('change');
        }
      } else {
        after = undefined;
        if ([401, 403, 404].includes(response.status)) pause = LONG_PAUSE_MS;
      }
    } catch (error) {
      if (error instanceof NoFeed) pause = LONG_PAUSE_MS;
    }
    if (signal.aborted) return;
    tell('closed');
    await paused(pause, signal);
  }
}

class NoFeed extends Error {}

/** Reads the position of the current state from the first line of a snapshot, and ignores the rest. */
async function presentPosition(signal: AbortSignal): Promise<string> {
  const body = JSON.stringify({ kinds: ['alarm'] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetchAsSession('/v1/snapshots', { method: 'POST', body, headers, signal });
  if (!response.ok || response.body === null) throw new NoFeed();
  const text = await response.text();
  const { position } = JSON.parse(text.split('\n')[0] ?? '') as { position?: unknown };
  if (typeof position !== 'string') throw new NoFeed();
  return position;
}

async function* eventsOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ReturnType<typeof eventsIn>['events'][number]> {
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const { events, rest } = eventsIn(text + value);
    text = rest;
    yield* events;
  }
}

function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        window.clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
