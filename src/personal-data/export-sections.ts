import { Injectable } from '@nestjs/common';
import { ExportReader, type ExportSeries, type Key } from './export.reader.js';
import { type Line, sampleLine, summaryLine } from './export-lines.js';
import { accountsTable, type ExportedColumn, type PersonalTable, personalTables } from './personal-data-map.js';
import { type Row, readable, readableBytes } from './readable.js';

const PAGE = 200;
const BEFORE_ALL_TIMES = Number.MIN_SAFE_INTEGER;

type Pages = AsyncGenerator<readonly Line[]>;

/** All lines of an account, in pages: the account first, then the tables of the registry, then who looked at it. */
@Injectable()
export class ExportSections {
  constructor(private readonly reader: ExportReader) {}

  async *pages(account: number): Pages {
    const first = personalTables.filter(({ table }) => table === accountsTable);
    const others = personalTables.filter(({ table }) => table !== accountsTable);
    for (const personal of [...first, ...others]) yield* this.section(personal, account);
    yield* this.accesses(account);
  }

  private section(personal: PersonalTable, account: number): Pages {
    switch (personal.table) {
      case 'samples':
        return this.samples(account);
      case 'summaries':
        return this.summaries(account);
      case 'messages':
        return this.messages(personal, account);
      default:
        return this.rows(personal, account);
    }
  }

  private async *rows(personal: PersonalTable, account: number): Pages {
    const { shown } = personal;
    if (typeof shown === 'string') return;
    for await (const page of this.walk(personal, account)) yield page.map((row) => lineOf(row, shown));
  }

  /** Bodies may be large, so there is one at a time. */
  private async *messages(personal: PersonalTable, account: number): Pages {
    const shown = { as: 'message', without: ['seq', 'next_attempt_at', 'attempts'] };
    for await (const page of this.walk(personal, account)) {
      for (const row of page) {
        const { type, data } = lineOf(row, shown);
        yield [{ type, data: { ...data, ...readableBytes(await this.reader.body(Number(row['seq']))) } }];
      }
    }
  }

  private async *samples(account: number): Pages {
    for (let afterId = 0; ; ) {
      const page = await this.reader.series(account, afterId, PAGE);
      for (const series of page) yield* this.ofSeries(series);
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      afterId = last.id;
    }
  }

  private async *ofSeries(series: ExportSeries): Pages {
    for (let afterTime = BEFORE_ALL_TIMES; ; ) {
      const page = await this.reader.samples(series.id, afterTime, PAGE);
      if (page.length > 0) yield page.map((sample) => sampleLine(series, sample));
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      afterTime = last.time;
    }
  }

  /** Objects may be large, so there is one at a time. */
  private async *summaries(account: number): Pages {
    for (let after: readonly [string, string] = ['', '']; ; ) {
      const page = await this.reader.summaries(account, after, PAGE);
      for (const summary of page) {
        const raw = await this.reader.raw(account, summary);
        if (raw !== null) yield [summaryLine(summary, raw)];
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = [last.resource, last.summary_id];
    }
  }

  private async *accesses(account: number): Pages {
    for (let afterSeq = 0; ; ) {
      const page = await this.reader.accesses(account, afterSeq, PAGE);
      if (page.length > 0) yield page.map((row) => lineOf(row, { as: 'access', without: ['seq'] }));
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      afterSeq = last.seq;
    }
  }

  private async *walk(personal: PersonalTable, account: number): AsyncGenerator<readonly Row[]> {
    for (let after: Key | null = null; ; ) {
      const page: Row[] = await this.reader.rows(personal, account, after, PAGE);
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = personal.key.map((name) => last[name] as string | number);
    }
  }
}

function lineOf(row: Row, shown: ExportedColumn): Line {
  return { type: shown.as, data: readable(row, shown) };
}
