import './pulls.css';
import type { ReactNode } from 'react';
import { oneOf } from '../../lib/filters.js';
import { spanFilters } from '../../lib/span.js';
import { useFilters } from '../../lib/use-filters.js';
import { Page } from '../../parts/page.js';
import { Tabs } from '../../parts/tabs.js';
import { Audits } from './audits.js';
import { HeldDeletions } from './held-deletions.js';
import { HistoricalPulls } from './historical-pulls.js';
import { Recoveries } from './recoveries.js';
import { Tasks } from './tasks.js';

const lists = [
  ['tasks', 'Pulls'],
  ['recoveries', 'Recoveries'],
  ['deletions', 'Held deletions'],
  ['historical', "Upstream's historical pulls"],
  ['audits', 'Audits'],
] as const;

const filters = { list: oneOf(['tasks', 'recoveries', 'deletions', 'historical', 'audits'] as const), ...spanFilters };

const parts: Readonly<Record<(typeof lists)[number][0], () => ReactNode>> = {
  tasks: () => <Tasks />,
  recoveries: () => <Recoveries />,
  deletions: () => <HeldDeletions />,
  historical: () => <HistoricalPulls />,
  audits: () => <Audits />,
};

/** Pulls with their state and last error, recoveries of outages, held deletions, and audits. */
export default function Pulls(): ReactNode {
  const [{ list = 'tasks', ...span }] = useFilters(filters);
  return (
    <Page title="Pulls">
      <Tabs label="Lists" tabs={lists} shown={list} kept={span} />
      {parts[list]()}
    </Page>
  );
}
