import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call, type SearchResultDto } from '../lib/api.js';
import { type Place, placesOf } from '../lib/places.js';
import { plain } from '../lib/words.js';

/** Why nothing was found: most ids are found by their beginning only. */
function lookedIn(searched: readonly string[]): string {
  const others = searched.filter((kind) => kind !== 'account').map((kind) => `${plain(kind)} ids`);
  return (
    'Nothing found. Searched account ids by any part; upstream user ids, pseudonyms and a_… references by their first ' +
    `8 characters or more; ${others.join(', ')} by their beginning.`
  );
}

/** Searches for an id when Enter is pressed: one hit opens, several are listed, and none says where it looked. */
export function Search(): ReactNode {
  const [text, setText] = useState('');
  const [found, setFound] = useState<SearchResultDto | 'failed' | null>(null);
  const [, navigate] = useLocation();
  const places = found === null || found === 'failed' ? [] : placesOf(found.data);
  const go = ({ href }: Place): void => {
    setText('');
    setFound(null);
    navigate(href);
  };
  const search = async (): Promise<void> => {
    const q = text.trim();
    if (q.length < 2) return;
    try {
      const result = await call('search', { query: { q } });
      const [only, ...others] = placesOf(result.data);
      if (only && others.length === 0) go(only);
      else setFound(result);
    } catch {
      setFound('failed');
    }
  };
  return (
    <search className="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <label htmlFor="search" className="hidden">
          Find an account, order, transaction or message by its id or the beginning of it
        </label>
        <input
          id="search"
          type="search"
          placeholder="/ any id, or its beginning"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setFound(null);
          }}
        />
      </form>
      <div role="status">
        {found === 'failed' && <p className="places empty">The search failed. Press Enter to try again.</p>}
        {found !== null && found !== 'failed' && places.length === 0 && (
          <p className="places empty">{lookedIn(found.searched)}</p>
        )}
      </div>
      {places.length > 0 && (
        <ul className="places">
          {places.map((place) => (
            <li key={place.href}>
              <button type="button" onClick={() => go(place)}>
                {place.name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}
