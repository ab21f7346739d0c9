import { Injectable } from '@nestjs/common';

/** Sizes of an import that no environment variable sets. */
@Injectable()
export class ImportTuning {
  /** Users a page, upstream's limit (specification 4.3). */
  pageSize = 500;
  /** Users of a page that are asked for again with the next one, so that users deleted meanwhile hide nobody. */
  overlap = 50;
  /** Looks at the list while it does not stand still. */
  mostPasses = 3;
  /** Accounts compared with what was seen, and accounts upstream is asked for one by one, in a step. */
  compared = 1_000;
  verified = 10;
  /** Sightings removed in a step once the import has ended. */
  tidied = 5_000;
}
