import {
  hashKey,
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useState } from 'react';
import type { CallOptions } from '../../clients/typescript/src/client.js';
import { idsOf, readAfterAct } from './acts.js';
import { call, LONG_SECONDS, type Operations } from './api.js';
import { useLive } from './live.js';

type Name = keyof Operations;
type Page = { readonly data: readonly unknown[]; readonly next_cursor: string | null };
type Paged = { [N in Name]: Operations[N]['answer'] extends Page ? N : never }[Name];
export type Row<N extends Paged> = Operations[N]['answer'] extends { readonly data: readonly (infer R)[] } ? R : never;

export interface Reading {
  /** False: not read yet. */
  readonly enabled?: boolean;
  /** Time between two reads while the page is live, in milliseconds; false: no regular reads. */
  readonly every?: number | false;
  /** For health values and slow reads: read only when the person requests it, never automatically. */
  readonly isOnRequest?: boolean;
  /** The service reads from upstream first, which may take long. */
  readonly isFromUpstream?: boolean;
}

const usual = 10_000;
/** Interval while the change feed is followed: figures such as the inbox size are not in the feed. */
const streamed = 20_000;

function useInterval(every: number | false): number | false {
  const { isLive, isStreamed } = useLive();
  if (!isLive || every === false) return false;
  return isStreamed ? Math.max(every, streamed) : every;
}

type Call = (name: Name, options: unknown, seconds?: number) => Promise<unknown>;

/** Timeout in seconds; undefined: the usual one. */
function secondsFor({ isOnRequest, isFromUpstream }: Reading): number | undefined {
  return isOnRequest || isFromUpstream ? LONG_SECONDS : undefined;
}

/** Options of both kinds of reads. */
function readingOf({ every = usual, isOnRequest = false }: Reading, isCurrent = true) {
  const follows = isCurrent && every !== false && !isOnRequest;
  return {
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: isCurrent && !isOnRequest,
    refetchOnReconnect: !isOnRequest,
    meta: { follows, isOnRequest },
  };
}

/**
 * The response of an operation, kept current while the page is live. Shows the previous response until the next one
 * arrives.
 */
export function useAnswer<N extends Name>(
  name: N,
  options?: CallOptions<N>,
  reading: Reading = {},
): UseQueryResult<Operations[N]['answer']> {
  const { enabled = true, every = usual, isOnRequest } = reading;
  const interval = useInterval(isOnRequest ? false : every);
  return useQuery({
    ...readingOf(reading),
    queryKey: [name, options ?? null],
    queryFn: ({ signal }) =>
      (call as Call)(name, { ...options, signal }, secondsFor(reading)) as Promise<Operations[N]['answer']>,
    enabled,
    refetchInterval: interval,
  });
}

/** One page of a list. */
export interface Rows<R> {
  readonly rows: readonly R[];
  readonly query: UseQueryResult;
  /** Identifies the list and page of the rows; a different value renders them from scratch. */
  readonly drawn: string;
  /** Position of the first row in the list, from 1. */
  readonly first: number;
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
}

const PAGE = 100;

interface Place {
  readonly cursors: readonly string[];
  /** Identifies the list and the page. */
  readonly key: string;
  readonly turn: (cursors: readonly string[]) => void;
}

/** The current page; for another list, the first one. */
function usePlace(options: unknown): Place {
  const list = hashKey([options ?? null]);
  const [at, setAt] = useState<{ readonly list: string; readonly cursors: readonly string[] }>({ list, cursors: [] });
  const cursors = at.list === list ? at.cursors : [];
  return { cursors, key: `${list} ${cursors.length}`, turn: (next) => setAt({ list, cursors: next }) };
}

/**
 * The rows of a list, one page at a time. Only the first page is kept current, because rows of later pages would move
 * while being read.
 */
export function useRows<N extends Paged>(name: N, options?: CallOptions<N>, reading: Reading = {}): Rows<Row<N>> {
  const { enabled = true, every = usual, isOnRequest } = reading;
  const { cursors, key, turn } = usePlace(options);
  const cursor = cursors.at(-1) ?? null;
  const isFirst = cursor === null;
  const interval = useInterval(isOnRequest ? false : every);
  const query = useQuery({
    ...readingOf(reading, isFirst),
    queryKey: [name, 'rows', options ?? null, cursor],
    queryFn: async ({ signal }) => {
      const { query: filters } = (options ?? {}) as { query?: { readonly limit?: number } };
      const given = { limit: PAGE, ...filters };
      const wanted = isFirst ? given : { ...given, cursor };
      const asked = { ...options, query: wanted, signal };
      const page = (await (call as Call)(name, asked, secondsFor(reading))) as Page;
      return { ...page, drawn: key, first: cursors.length * given.limit + 1 };
    },
    enabled,
    refetchInterval: isFirst && interval,
  });
  const { data, drawn, first, next_cursor } = query.data ?? nothing;
  return {
    ...{ query, drawn, first },
    rows: data as readonly Row<N>[],
    next: next_cursor === null || query.isPlaceholderData ? undefined : () => turn([...cursors, next_cursor]),
    previous: isFirst ? undefined : () => turn(cursors.slice(0, -1)),
  };
}

const nothing = { data: [], drawn: '', first: 1, next_cursor: null };

/**
 * An action. The shown data is refreshed whatever the outcome: another tab may have been first, or a response may be
 * lost.
 */
export function useAct<N extends Name>(name: N): UseMutationResult<Operations[N]['answer'], Error, CallOptions<N>> {
  return useMutation({
    mutationFn: (options: CallOptions<N>) => call(name, options, LONG_SECONDS),
    onSettled: (_answer, error, options) => {
      const { path } = options as { readonly path?: Readonly<Record<string, unknown>> };
      const read = readAfterAct(idsOf(path));
      return error ? undefined : read;
    },
  });
}
