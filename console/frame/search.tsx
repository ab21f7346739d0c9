import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { placesFor } from '../lib/places.js';

/** Opens the account, order or message that a pasted id belongs to. */
export function Search(): ReactNode {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const places = placesFor(text.trim());
  const go = (href: string): void => {
    setText('');
    navigate(href);
  };
  return (
    <search className="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = places;
          if (first) go(first.href);
        }}
      >
        <label htmlFor="search" className="hidden">
          Find an account, order or message by id
        </label>
        <input
          id="search"
          type="search"
          placeholder="/ account, order or message id"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      {places.length > 0 && (
        <ul className="places">
          {places.map(({ href, name }) => (
            <li key={href}>
              <button type="button" onClick={() => go(href)}>
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}
