import {
  hashKey,
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';
import type { CallOptions } from '../../clients/typescript/src/client.js';
import { api, type Operations } from './api.js';
import { useLive } from './live.js';

type Name = keyof Operations;
type Page = { readonly data: readonly unknown[]; readonly next_cursor: string | null };
type Paged = { [N in Name]: Operations[N]['answer'] extends Page ? N : never }[Name];
export type Row<N extends Paged> = Operations[N]['answer'] extends { readonly data: readonly (infer R)[] } ? R : never;

export interface Reading {
  /** False: does not ask yet. */
  readonly enabled?: boolean;
  /** Time between two reads while the page is live, in milliseconds; false: only when something asks for it. */
  readonly every?: number | false;
}

const usual = 10_000;
/** While the feed of changes is followed; figures such as the depth of the inbox are no changes. */
const streamed = 20_000;

function useInterval(every: number | false): number | false {
  const { isLive, isStreamed } = useLive();
  if (!isLive || every === false) return false;
  return isStreamed ? Math.max(every, streamed) : every;
}

type Call = (name: Name, options?: unknown) => Promise<unknown>;
const call: Call = (name, options) => (api.call as Call).call(api, name, options);

/** The answer of an operation, kept current while the page is live. The former answer stays until the new one comes. */
export function useAnswer<N extends Name>(
  name: N,
  options?: CallOptions<N>,
  { enabled = true, every = usual }: Reading = {},
): UseQueryResult<Operations[N]['answer']> {
  const interval = useInterval(every);
  return useQuery({
    queryKey: [name, options ?? null],
    queryFn: ({ signal }) => call(name, { ...options, signal }) as Promise<Operations[N]['answer']>,
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: interval,
    meta: { follows: every !== false },
  });
}

/** One page of a list. */
export interface Rows<R> {
  readonly rows: readonly R[];
  readonly query: UseQueryResult;
  /** Of which list and page the rows are: another one is drawn anew. */
  readonly drawn: string;
  /** Places of the rows in the list, from 1. */
  readonly first: number;
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
}

const PAGE = 100;

interface Place {
  readonly cursors: readonly string[];
  /** Of the list and the page. */
  readonly key: string;
  readonly turn: (cursors: readonly string[]) => void;
}

/** The page that is shown; the first one of another list. */
function usePlace(options: unknown): Place {
  const list = hashKey([options ?? null]);
  const [at, setAt] = useState<{ readonly list: string; readonly cursors: readonly string[] }>({ list, cursors: [] });
  const cursors = at.list === list ? at.cursors : [];
  return { cursors, key: `${list} ${cursors.length}`, turn: (next) => setAt({ list, cursors: next }) };
}

/** The rows of a list, a page at a time. Only its first page is kept current: further ones would move under the eye. */
export function useRows<N extends Paged>(
  name: N,
  options?: CallOptions<N>,
  { enabled = true, every = usual }: Reading = {},
): Rows<Row<N>> {
  const { cursors, key, turn } = usePlace(options);
  const cursor = cursors.at(-1) ?? null;
  const isFirst = cursor === null;
  const interval = useInterval(every);
  const query = useQuery({
    queryKey: [name, 'rows', options ?? null, cursor],
    queryFn: async ({ signal }) => {
      const { query: filters } = (options ?? {}) as { query?: { readonly limit?: number } };
      const given = { limit: PAGE, ...filters };
      const wanted = isFirst ? given : { ...given, cursor };
      const page = (await call(name, { ...options, query: wanted, signal })) as Page;
      return { ...page, drawn: key, first: cursors.length * given.limit + 1 };
    },
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: isFirst && interval,
    refetchOnWindowFocus: isFirst,
    meta: { follows: isFirst && every !== false },
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

/** An act; what the page shows is read again when it is done. */
export function useAct<N extends Name>(name: N): UseMutationResult<Operations[N]['answer'], Error, CallOptions<N>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (options: CallOptions<N>) => call(name, options) as Promise<Operations[N]['answer']>,
    onSuccess: () => client.invalidateQueries(),
  });
}
