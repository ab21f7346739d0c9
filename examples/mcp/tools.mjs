/*
 * What an assistant may ask: five reads of existing routes. Every call has a key of the role `reader` and a reason,
 * with which a read of health data is in the access log, like any other.
 */

const TIMEOUT_MS = 30_000;
/** More would fill the context of the assistant. */
const MAX_CHARACTERS = 100_000;

const account = { description: 'The account: the id that the customer gave the person.' };
const day = (about) => ({ description: `${about}, as YYYY-MM-DD.` });
const segment = encodeURIComponent;

/** A tool: `input` has its parameters, all texts; `path` the address that it reads. */
export const tools = [
  {
    name: 'find_account',
    description: 'Find an account, an order or another object by an id or a part of it.',
    input: { query: { description: 'The id, or its beginning.' } },
    path: ({ query }) => `/admin/v1/search?${new URLSearchParams({ q: query })}`,
  },
  {
    name: 'explain_day',
    description: 'Explain why a day of a person has the data that it has, or none: the evidence and what to do.',
    input: {
      account_id: account,
      resource: { description: 'Kind of data, such as sleep, steps or heartrate.' },
      day: day('The local day of the person'),
    },
    path: ({ account_id, resource, day: date }) =>
      `/admin/v1/accounts/${segment(account_id)}/explain?${new URLSearchParams({ resource, day: date })}`,
  },
  {
    name: 'daily',
    description: 'Read the numbers of days of a person, with their sources and whether each day is complete.',
    input: {
      account_id: account,
      resources: { description: 'Kinds of data, separated by commas, such as steps,heartrate.' },
      first_day: { ...day('The first day'), optional: true },
      last_day: { ...day('The last day'), optional: true },
    },
    path: ({ account_id, ...query }) => `/v1/accounts/${segment(account_id)}/daily?${new URLSearchParams(query)}`,
  },
  {
    name: 'lab_work',
    description: 'List lab orders that need something: notify, book, decide, replace or chase, most urgent first.',
    input: { account_id: { ...account, optional: true } },
    path: (query) => `/admin/v1/lab-work?${new URLSearchParams(query)}`,
  },
  {
    name: 'alarms',
    description: 'List the alarms of the service, with their severity and since when.',
    input: {},
    path: () => '/admin/v1/alarms',
  },
];

/**
 * Returns a function that runs a tool and returns what the service answers, as text; `isError` if it refused. `url` is
 * the address of the service, `key` of the role `reader`. Throws if the key would be sent unencrypted to another
 * machine.
 */
export function reader({ url, key }) {
  const base = new URL(url);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(base.hostname);
  if (base.protocol !== 'https:' && !(base.protocol === 'http:' && isHere)) {
    throw new Error('PULSEKEEP_URL must be https://HOST, or http:// on this machine.');
  }
  if (!key) throw new Error('PULSEKEEP_KEY must be a key of the role reader.');
  return async (tool, input) => {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== ''));
    const address = new URL(tool.path(given), base);
    const headers = { authorization: `Bearer ${key}`, 'x-access-reason': `assistant: ${tool.name}` };
    let response;
    try {
      response = await fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (error) {
      return refused(
        error.name === 'TimeoutError' ? 'The service did not answer in 30 s.' : 'The service is unreachable.',
      );
    }
    const text = await response.text();
    if (!response.ok) return refused(`The service refused (${response.status}): ${text}`);
    if (text.length > MAX_CHARACTERS) return refused('The answer is too long: ask for fewer days or kinds of data.');
    return { text, isError: false };
  };
}

function refused(text) {
  return { text: text.slice(0, 2_000), isError: true };
}
