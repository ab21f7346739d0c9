import { type CompendiumSearch, compendiumFaults, compendiumInput } from './compendium-rules.js';

const canonical: CompendiumSearch = { mode: 'canonical', query: 'a1c' };
const crosswalk: CompendiumSearch = { mode: 'crosswalk', query: 'a1c' };

const messages = (search: CompendiumSearch): string[] => compendiumFaults(search).map(({ message }) => message);

describe('compendiumFaults', () => {
  it.each<[CompendiumSearch, string[]]>([
    [canonical, []],
    [{ ...canonical, limit: 10 }, []],
    [{ ...canonical, limit: 1 }, []],
    [{ ...canonical, limit: 11 }, ['limit must be from 1 to 10 when mode is canonical']],
    [{ ...canonical, limit: 0 }, ['limit must be from 1 to 10 when mode is canonical']],
    [{ mode: 'canonical' }, ['query is required when mode is canonical']],
    [{ mode: 'canonical', query: null }, ['query is required when mode is canonical']],
    [{ mode: 'canonical', query: ' \n' }, ['query must not be blank']],
    [{ ...canonical, loinc_set_hash: 'h' }, ['loinc_set_hash is not allowed when mode is canonical']],
    [{ ...canonical, loinc_set_hash: null }, []],
    [crosswalk, []],
    [{ mode: 'crosswalk', loinc_set_hash: 'h' }, []],
    [{ ...crosswalk, limit: 20 }, []],
    [{ ...crosswalk, limit: 21 }, ['limit must be from 1 to 20 when mode is crosswalk']],
    [{ mode: 'crosswalk' }, ['exactly one of query and loinc_set_hash is required when mode is crosswalk']],
    [
      { ...crosswalk, loinc_set_hash: 'h' },
      ['exactly one of query and loinc_set_hash is required when mode is crosswalk'],
    ],
    [{ mode: 'crosswalk', query: '' }, ['query must not be blank']],
  ])('finds in %j: %j [compendium#search]', (search, expected) => {
    expect(messages(search)).toEqual(expected);
  });
});

describe('compendiumInput', () => {
  it("spells out upstream's defaults [compendium#answer-of-a-search]", () => {
    expect(compendiumInput({ mode: 'canonical', query: ' a1c ' })).toEqual({
      mode: 'canonical',
      query: 'a1c',
      include_related: true,
      limit: 3,
    });
  });

  it('passes on an unknown mode unchanged and unchecked [compendium#search]', () => {
    const search = { mode: 'by_panel', query: 'a1c', loinc_set_hash: 'h', limit: 40 };
    expect(compendiumFaults(search)).toEqual([]);
    expect(compendiumInput(search)).toEqual(search);
    expect(compendiumInput({ mode: 'by_panel' })).toEqual({ mode: 'by_panel' });
  });

  it('passes on the search, including unknown labs [compendium#search]', () => {
    const search = { loinc_set_hash: 'h', labs: ['a_new_lab'], cpt_codes: ['1'], include_related: false, limit: 20 };
    expect(compendiumInput({ mode: 'crosswalk', query: null, ...search })).toEqual({ mode: 'crosswalk', ...search });
  });
});
