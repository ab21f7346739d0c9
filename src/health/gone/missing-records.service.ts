import { Injectable } from '@nestjs/common';
import { DeletionsConfig } from '../../platform/config/config.js';
import { type DeletionMode, MIN_HELD } from '../../platform/config/deletions.js';
import { Clock } from '../../platform/platform/clock.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { StepBack } from '../../storage/work/leased-rows.js';
import { MAX_DUE_A_ROUND, MAX_JUDGED, MAX_ROWS_A_JOB } from '../catalogue/tuning.js';
import { ChangedDays } from '../clock/changed-days.service.js';
import { forgetMissing, type RecordKey } from '../records/hidden-records.repository.js';
import type { MissingRecordEntity } from '../records/missing-record.entity.js';
import { RecordsTelemetry } from '../records/records.telemetry.js';
import type { CompleteLook } from './complete-look.js';
import { GoneChanges } from './gone-changes.js';
import { type Missed, MissingRecordsRepository, type Stored } from './missing-records.repository.js';
import { apart, MAX_INTERVAL_MS, near, overlapsAny, placeOf, reachOf } from './missing-times.js';

/*
 * Records that upstream deletes are hidden here, too. Upstream reports no deletions
 * (docs/upstream/webhooks.md#no-delete-events), so the only evidence is a complete look: a pull that read an entire
 * window in one turn and did not return a stored record from that window.
 *
 *   stored     --missed by a pull over every source-->     suspect     a look at its range is due immediately
 *   stored     --missed by a look, which shows an
 *                overlapping record of its series-->       superseded
 *   stored     --missed by a look-->                       candidate   a look at its range is due later
 *   candidate  --missed by a later look-->                 gone
 *   suspect    --missed by a look-->                       candidate
 *   stored     --missed with too many others-->            held        until an operator decides
 *   held       --released-->                               candidate
 *   held       --rejected-->                               kept        stays stored; later looks do not judge it
 *   any but gone and superseded  --seen again-->           stored      the row is deleted
 *   gone, superseded             --shown by a page-->      stored      the row is deleted; a message changes nothing
 *
 * A hold without held records is deleted.
 *
 * A look stores no verdict before it is complete. If the process crashes during a look, or before its records are
 * judged, the rows stay as they were and their ranges are looked at again when due.
 */

/** A range of a stream to look at again. */
export interface DueLook {
  readonly account: number;
  readonly provider: string;
  readonly resource: string;
  readonly range: TimeRange;
}

/** Maximum records confirmed as gone in an hour, over all accounts; released ones do not count. More are held. */
const MAX_GONE_AN_HOUR = 1_000;
/** Maximum number of looks at the range of a record; later pulls may still confirm that it is gone. */
const MAX_LOOKS = 6;

type Action = { readonly hide: boolean; readonly row: MissingRecordEntity };

/** Decides about stored records that complete looks did not show. */
@Injectable()
export class MissingRecords {
  constructor(
    private readonly repository: MissingRecordsRepository,
    private readonly config: DeletionsConfig,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: RecordsTelemetry,
    private readonly days: ChangedDays,
  ) {}

  /** Judges the stored records in a look's window that the look did not show. Rejects only if the database fails. */
  async judge(look: CompleteLook): Promise<void> {
    const stored = await this.repository.missed(look, MAX_JUDGED + 1);
    const notShown = stored.filter((one) => !look.summaryIds.has(one.summaryId));
    const missed = notShown.filter((one) => look.judges(one));
    if (look.provider !== '' && this.modeOf(look) === 'observe') {
      this.telemetry.missing(look.resource.name, 'observed', missed.length);
    }
    const known = await this.repository.known(look);
    // If the limit was reached, later missed records were not read, so absence from `notShown` proves nothing.
    if (stored.length <= MAX_JUDGED) await this.forgetShown(look, notShown, known);
    const judged = missed.filter((one) => this.modeOf(one) === 'apply');
    if (judged.length > 0) await this.decide(look, judged, known);
  }

  /** Ranges due for another look. Each is returned once per due time. */
  async takeDue(tx: Tx): Promise<DueLook[]> {
    const now = this.clock.now();
    const rows = await this.repository.due(tx, now, MAX_DUE_A_ROUND);
    const waitMs = Math.max(this.config.confirmHours, 1) * HOUR_MS;
    const isWanted = (row: MissingRecordEntity): boolean => this.modeOf(row) === 'apply';
    await this.repository.store(
      tx,
      rows.map((row) => {
        if (!isWanted(row)) return { ...row, look_due_at: now + waitMs };
        const next = row.looks + 1 < MAX_LOOKS ? now + waitMs * 2 ** row.looks : null;
        return { ...row, looks: row.looks + 1, look_due_at: next };
      }),
    );
    const wanted = rows.filter(isWanted);
    const streams = groupedBy(wanted, (row) => JSON.stringify([row.account_id, row.provider, row.resource]));
    return [...streams.values()].flatMap((own) => {
      const [{ account_id: account, provider, resource }] = own as [MissingRecordEntity];
      return rangesOf(own).map((range) => ({ account, provider, resource, range }));
    });
  }

  bringForward(tx: Tx, step: StepBack): Promise<number> {
    return this.repository.bringForward(tx, step);
  }

  hasDue(): Promise<boolean> {
    return this.repository.hasDue(this.clock.now());
  }

  private modeOf({ provider }: { readonly provider: string }): DeletionMode {
    return this.config.modes.of(provider);
  }

  /** Deletes the rows of records that the look has shown. */
  private async forgetShown(
    look: CompleteLook,
    notShown: readonly Missed[],
    known: readonly MissingRecordEntity[],
  ): Promise<void> {
    const names = new Set(notShown.map(nameOf));
    const shown = known.filter((row) => !names.has(nameOf(keyOf(row))));
    await this.inSlices(look, shown, async (tx, slice) => {
      for (const row of slice) await forgetMissing(tx, look.account, look.resource.name, keyOf(row));
      await this.repository.countHeld(tx, look);
    });
  }

  private async decide(
    look: CompleteLook,
    missed: readonly Missed[],
    rows: readonly MissingRecordEntity[],
  ): Promise<void> {
    const now = this.clock.now();
    const known = new Map(rows.map((row) => [nameOf(keyOf(row)), row]));
    const current = (one: Missed): MissingRecordEntity | null => {
      const row = known.get(nameOf(one));
      return row && row.seen_by >= one.observation ? row : null;
    };
    const covered = look.provider === '' ? new Set<string>() : await this.covered(look, missed);
    const fresh = missed.filter((one) => isFresh(look, current(one)) && !covered.has(nameOf(one)));
    const confirmed = missed.filter((one) => {
      const row = current(one);
      return !covered.has(nameOf(one)) && this.isConfirmed(look, row) && row?.hold_id === null;
    }).length;
    const before = confirmed > 0 ? await this.repository.goneSince(now - HOUR_MS, MAX_GONE_AN_HOUR) : 0;
    const tooFast = before + confirmed > MAX_GONE_AN_HOUR;
    const share = fresh.length / (look.shown + missed.length);
    const tooMany = fresh.length >= MIN_HELD && share > this.config.holdShare;
    const holds = tooMany || missed.length > MAX_JUDGED;
    if (look.provider === '') {
      if (missed.length > MAX_JUDGED) return;
      const suspects = fresh.map((one) => ({ ...rowOf(look, one), state: 'suspect', look_due_at: now }) as const);
      await this.inSlices(look, suspects, (tx, slice) => this.repository.store(tx, slice));
      return;
    }
    const verdict = { covered, tooFast, holds, now };
    const actions = missed.flatMap((one) => this.actionOn(look, one, current(one), verdict) ?? []);
    await this.inSlices(look, actions, (tx, slice) => this.act(tx, look, slice, now));
  }

  private actionOn(
    look: CompleteLook,
    one: Missed,
    row: MissingRecordEntity | null,
    { covered, tooFast, holds, now }: { covered: ReadonlySet<string>; tooFast: boolean; holds: boolean; now: number },
  ): Action | null {
    if (row?.state === 'held' || row?.state === 'kept') return null;
    const isCovered = covered.has(nameOf(one));
    const missing = { ...(row ?? rowOf(look, one)), missed_by: look.task, missed_at: look.startedAt };
    const confirmed = { confirmed_by: look.task, confirmed_at: look.startedAt, look_due_at: null, gone_at: now };
    if (isCovered) return { hide: true, row: { ...missing, ...confirmed, state: 'superseded' } };
    if (holds && isFresh(look, row)) return { hide: false, row: { ...missing, state: 'held', look_due_at: null } };
    if (row?.state !== 'candidate') {
      const look_due_at = now + this.config.confirmHours * HOUR_MS;
      return { hide: false, row: { ...missing, state: 'candidate', look_due_at, looks: 0 } };
    }
    if (!this.isConfirmed(look, row)) return null;
    if (tooFast && row.hold_id === null) return { hide: false, row: { ...row, state: 'held', look_due_at: null } };
    return { hide: true, row: { ...row, ...confirmed, state: 'gone' } };
  }

  /** True if the row is a candidate and this look began at least `confirmHours` after the look that first missed it. */
  private isConfirmed(look: CompleteLook, row: MissingRecordEntity | null): boolean {
    if (row?.state !== 'candidate') return false;
    return look.startedAt - (row.missed_at ?? look.startedAt) >= this.config.confirmHours * HOUR_MS;
  }

  private async act(tx: Tx, look: CompleteLook, actions: readonly Action[], now: number): Promise<void> {
    const { account, resource } = look;
    const isHeld = actions.some(({ row }) => row.state === 'held');
    const hold_id = isHeld ? await this.repository.hold(tx, look, now) : null;
    const marked: MissingRecordEntity[] = [];
    const gone = new GoneChanges(account, resource);
    const counts = new Map<MissingRecordEntity['state'], number>();
    for (const { hide, row } of actions) {
      // A message may have delivered the record since the look.
      if ((await this.repository.seenBy(tx, account, resource.name, keyOf(row))) !== row.seen_by) continue;
      if (hide) {
        const records = await this.repository.stored(tx, account, resource.name, keyOf(row));
        await this.repository.hide(tx, { ...row, records: JSON.stringify(records) });
        gone.add(row, records);
      } else {
        marked.push(row.state === 'held' ? { ...row, hold_id } : row);
      }
      counts.set(row.state, (counts.get(row.state) ?? 0) + 1);
    }
    await this.repository.store(tx, marked);
    await this.repository.countHeld(tx, look);
    await noteChanges(tx, await gone.all(tx, this.days), now);
    tx.afterCommit(() => {
      for (const [state, count] of counts) this.telemetry.missing(resource.name, state, count);
    });
  }

  /** Runs write jobs one after the other, and stops if the source or its account has changed since the look began. */
  private async inSlices<T>(
    look: CompleteLook,
    all: readonly T[],
    work: (tx: Tx, slice: readonly T[]) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < all.length; from += MAX_ROWS_A_JOB) {
      const isSteady = await this.lane.run(async (tx) => {
        await tx.lock('account', look.account);
        if (!(await look.isSteady(tx))) return false;
        await work(tx, all.slice(from, from + MAX_ROWS_A_JOB));
        return true;
      });
      if (!isSteady) return;
    }
  }

  /** Names of the missed intervals that the look replaced with an overlapping one. */
  private async covered(look: CompleteLook, missed: readonly Missed[]): Promise<ReadonlySet<string>> {
    const covered = new Set<string>();
    const series = groupedBy(
      missed.filter(({ time, end }) => end > time),
      ({ seriesId }) => seriesId,
    );
    for (const [seriesId, own] of series) {
      for (const group of apart(own)) {
        const range = { start: group.start - MAX_INTERVAL_MS, end: group.end };
        const shown = groupedBy(await this.repository.shown(look, seriesId, range), placeOf);
        const reaches = new Map([...shown].map(([place, intervals]) => [place, reachOf(intervals)]));
        for (const one of group.members) if (overlapsAny(one, reaches.get(placeOf(one)))) covered.add(nameOf(one));
      }
    }
    return covered;
  }
}

/** True if no look at a single source has judged the record yet. */
function isFresh({ provider }: CompleteLook, row: MissingRecordEntity | null): boolean {
  return row === null || (provider !== '' && row.state === 'suspect');
}

/**
 * Ranges to look at for some rows of a stream. All suspects share one range: split into several looks, each would miss
 * few records, and a mass deletion would never be held.
 */
function rangesOf(rows: readonly MissingRecordEntity[]): TimeRange[] {
  const suspects = near(rows.filter(({ state }) => state === 'suspect'));
  const [first, last] = [suspects[0], suspects.at(-1)];
  const together = first && last ? [{ start: first.start, end: last.end }] : [];
  return [...together, ...near(rows.filter(({ state }) => state !== 'suspect'))];
}

function keyOf({ series_id: seriesId, time, summary_id: summaryId }: MissingRecordEntity): RecordKey {
  return { seriesId, time, summaryId };
}

function nameOf({ seriesId, time, summaryId }: Pick<Stored, 'seriesId' | 'time' | 'summaryId'>): string {
  return `${seriesId} ${time} ${summaryId}`;
}

function rowOf({ account, resource }: CompleteLook, one: Missed): MissingRecordEntity {
  return {
    account_id: account,
    resource: resource.name,
    time: one.time,
    series_id: one.seriesId,
    summary_id: one.summaryId,
    provider: one.provider,
    end_time: one.end,
    state: 'suspect',
    seen_by: one.observation,
    missed_by: null,
    missed_at: null,
    confirmed_by: null,
    confirmed_at: null,
    look_due_at: null,
    looks: 0,
    hold_id: null,
    gone_at: null,
    records: null,
  };
}
