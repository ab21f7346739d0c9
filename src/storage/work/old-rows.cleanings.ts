import { Injectable } from '@nestjs/common';
import { MAX_OLD_ROWS_A_SLICE } from '../database/tuning.js';
import { Declarations } from '../declarations/declarations.js';
import { CleanerWorker } from './cleaner.worker.js';
import { OldRows } from './old-rows.service.js';

/** One cleaning for each table whose rows the rooms declare as ending. */
@Injectable()
export class OldRowsCleanings {
  constructor({ ended }: Declarations, cleaner: CleanerWorker, oldRows: OldRows) {
    for (const rows of ended) {
      let passed = 0;
      cleaner.add({
        maxRows: MAX_OLD_ROWS_A_SLICE,
        slice: async (limit) => {
          const { outcome, last } = await oldRows.slice(rows, passed, limit);
          passed = last;
          return outcome;
        },
      });
    }
  }
}
