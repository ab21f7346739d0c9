import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
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

export interface Rows<R> {
  readonly rows: readonly R[];
  readonly query: UseInfiniteQueryResult;
}

/** The rows of a list, by pages of 100; `query.fetchNextPage()` reads more. */
export function useRows<N extends Paged>(
  name: N,
  options?: CallOptions<N>,
  { enabled = true, every = usual }: Reading = {},
): Rows<Row<N>> {
  const interval = useInterval(every);
  const given = (options ?? {}) as { query?: Record<string, unknown> };
  const query = useInfiniteQuery({
    queryKey: [name, 'rows', options ?? null],
    queryFn: ({ pageParam, signal }) =>
      call(name, {
        ...given,
        query: { limit: 100, ...given.query, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }) as Promise<Page>,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    enabled,
    // Pages that are far down stay as they are: reading all of them again would cost more than it shows.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? interval : false),
    meta: { follows: every !== false },
  });
  const pages = query.data?.pages;
  const rows = useMemo(() => (pages?.flatMap((page) => page.data) ?? []) as Row<N>[], [pages]);
  return { rows, query };
}

/** An act; what the page shows is read again when it is done. */
export function useAct<N extends Name>(name: N): UseMutationResult<Operations[N]['answer'], Error, CallOptions<N>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (options: CallOptions<N>) => call(name, options) as Promise<Operations[N]['answer']>,
    onSuccess: () => client.invalidateQueries(),
  });
}
