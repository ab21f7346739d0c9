import { rooms } from '../../../src/app/rooms.js';
import { Declarations } from '../../../src/storage/declarations/declarations.js';
import { columnsOf, tableNames } from './support/filling.js';

const { personal: personalTables, kept: keptTables } = new Declarations(rooms);
const personal = personalTables.map(({ table }) => table);

describe('the registry of personal data', () => {
  it('has every table, once', () => {
    const known = [...personal, ...Object.keys(keptTables)];
    expect(known.sort()).toEqual([...tableNames()].sort());
  });

  it('names only existing columns, and every key completely', () => {
    for (const { table, key, paths, exported } of personalTables) {
      const columns = columnsOf(table).map(({ name }) => name);
      const named = [...key, ...paths.map(({ column }) => column)];
      const shownColumns = typeof exported === 'string' ? [] : (exported.json ?? []);
      expect([table, [...named, ...shownColumns].filter((name) => !columns.includes(name))]).toEqual([table, []]);
    }
  });

  it('finds the rows of every table that names an account', () => {
    const owned = personalTables.filter(({ table }) => columnsOf(table).some(({ name }) => name === 'account_id'));
    const astray = owned.filter(({ table, paths }) => table !== 'accounts' && paths[0]?.column !== 'account_id');
    expect(astray.map(({ table }) => table)).toEqual([]);
    const kept = Object.keys(keptTables).filter((table) => columnsOf(table).some(({ name }) => name === 'account_id'));
    expect(kept).toEqual([]);
  });

  it('deletes references to a row before the row', () => {
    for (const { table, paths } of personalTables) {
      for (const { through } of paths) {
        if (through) expect(personal.indexOf(table)).toBeLessThan(personal.indexOf(through.table));
      }
    }
    expect(personal.at(-1)).toBe('accounts');
  });
});
