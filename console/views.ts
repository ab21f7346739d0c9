import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Role } from './lib/session.js';

export interface View {
  /** Pattern of its addresses, from `/console`. */
  readonly path: string;
  /** Where its entry in the navigation leads. */
  readonly href: string;
  readonly name: string;
  /** `g` and this letter lead there. */
  readonly letter: string;
  /** The least role that sees anything there. */
  readonly needed: Role;
  readonly Component: LazyExoticComponent<ComponentType>;
}

/** Every view, in the order of the navigation. Each is a file of its own that is loaded when it is opened. */
export const views: readonly View[] = [
  {
    path: '/',
    href: '/',
    name: 'Overview',
    letter: 'o',
    needed: 'monitor',
    Component: lazy(() => import('./views/overview/overview.js')),
  },
  {
    path: '/accounts/:account_id?',
    href: '/accounts',
    name: 'Accounts',
    letter: 'a',
    needed: 'viewer',
    Component: lazy(() => import('./views/accounts/accounts.js')),
  },
  {
    path: '/orders/:id?',
    href: '/orders',
    name: 'Orders',
    letter: 'r',
    needed: 'viewer',
    Component: lazy(() => import('./views/orders/orders.js')),
  },
];
