import { type ReactNode, useState } from 'react';
import type { ReplayFilter } from '../../lib/api.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { Failure, Loading } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';

const counted = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`;

const processed = (count: number): string => `${counted(count)} will be processed again`;

export function ReplayOne({ id }: { readonly id: string }): ReactNode {
  const replay = useAct('replayMessage');
  return (
    <div>
      <p className="line">
        <button type="button" disabled={replay.isPending} onClick={() => replay.mutate({ path: { message_id: id } })}>
          Replay this message
        </button>
        <Commands call="replayMessage" options={{ path: { message_id: id } }} />
        {replay.isSuccess && <span role="status">It will be processed again.</span>}
      </p>
      {replay.isError && <Failure error={replay.error} refused="Nothing is processed again." />}
    </div>
  );
}

/** Replays the selected messages. */
export function ReplaySelected({
  ids,
  onDone,
}: {
  readonly ids: readonly string[];
  readonly onDone: () => void;
}): ReactNode {
  const replay = useAct('replayMessages');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" disabled={ids.length === 0} onClick={() => setOpen(true)}>
        {ids.length === 0 ? 'Replay selected' : `Replay ${counted(ids.length)} selected`}
      </button>
      {isOpen && (
        <Confirm
          title="Replay the selected messages"
          act={`Replay ${counted(ids.length)}`}
          run={() => replay.mutateAsync({ body: { message_ids: [...ids] } }, { onSuccess: onDone })}
          onClose={() => setOpen(false)}
        >
          <p>Each is processed like a new delivery. Newer data is not overwritten.</p>
        </Confirm>
      )}
    </>
  );
}

/** Replays all messages that match the filters, after showing how many there are. */
export function ReplayMatching({
  filter,
  hidden,
}: {
  readonly filter: ReplayFilter;
  readonly hidden: boolean;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const isEmpty = Object.values(filter).every((value) => value === undefined);
  if (hidden) return <span className="muted">A replay takes no filter by account.</span>;
  return (
    <>
      <button
        type="button"
        disabled={isEmpty}
        onClick={() => setOpen(true)}
        title={isEmpty ? 'Set a filter first' : undefined}
      >
        Replay all matches
      </button>
      {!isEmpty && <Commands call="replayMessages" options={{ body: filter }} />}
      {isOpen && <Forecast filter={filter} onClose={() => setOpen(false)} />}
    </>
  );
}

function Forecast({ filter, onClose }: { readonly filter: ReplayFilter; readonly onClose: () => void }): ReactNode {
  const forecast = useAnswer('replayMessages', { body: { ...filter, dry_run: true } }, { every: false });
  const replay = useAct('replayMessages');
  const count = forecast.data?.count ?? 0;
  const isMore = forecast.data !== undefined && 'more' in forecast.data && forecast.data.more === true;
  const isPresent = forecast.isSuccess && !forecast.isFetching && !forecast.isPlaceholderData;
  return (
    <Confirm
      title="Replay all matches"
      act={isMore ? 'Replay all' : `Replay ${counted(count)}`}
      isReady={isPresent && count > 0}
      run={() => replay.mutateAsync({ body: filter })}
      onClose={onClose}
    >
      {forecast.isError && <Failure error={forecast.error} />}
      {forecast.data === undefined && !forecast.isError && <Loading rows={1} of="the count" />}
      {forecast.data && (
        <p>
          {isMore && 'At least '}
          {processed(count)} as if just delivered, some at a time. {forecast.data.without_body.toLocaleString('en')}{' '}
          more match, but their bodies are no longer kept.
        </p>
      )}
    </Confirm>
  );
}
