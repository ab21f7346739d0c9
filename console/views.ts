import type { ComponentType, LazyExoticComponent } from 'react';
import { later } from './lib/later.js';
import type { Role } from './lib/session.js';

export interface View {
  /** Pattern of its addresses, relative to `/console`. */
  readonly path: string;
  /** Target of its navigation entry. */
  readonly href: string;
  readonly name: string;
  /** `g` and this letter open the view. */
  readonly letter: string;
  /** The lowest role for which the view shows anything. */
  readonly needed: Role;
  readonly Component: LazyExoticComponent<ComponentType>;
}

/** All views in navigation order. Each is loaded when it is first opened. */
export const views: readonly View[] = [
  {
    path: '/',
    href: '/',
    name: 'Overview',
    letter: 'o',
    needed: 'monitor',
    Component: later(() => import('./views/overview/overview.js')),
  },
  {
    path: '/accounts/:account_id?',
    href: '/accounts',
    name: 'Accounts',
    letter: 'a',
    needed: 'viewer',
    Component: later(() => import('./views/accounts/accounts.js')),
  },
  {
    path: '/messages/:id?',
    href: '/messages',
    name: 'Messages',
    letter: 'm',
    needed: 'viewer',
    Component: later(() => import('./views/messages/messages.js')),
  },
  {
    path: '/pulls',
    href: '/pulls',
    name: 'Pulls',
    letter: 'p',
    needed: 'viewer',
    Component: later(() => import('./views/pulls/pulls.js')),
  },
  {
    path: '/orders/:id?',
    href: '/orders',
    name: 'Orders',
    letter: 'r',
    needed: 'viewer',
    Component: later(() => import('./views/orders/orders.js')),
  },
  {
    path: '/changes',
    href: '/changes',
    name: 'Changes',
    letter: 'c',
    needed: 'operator',
    Component: later(() => import('./views/changes/changes.js')),
  },
  {
    path: '/access-log',
    href: '/access-log',
    name: 'Access log',
    letter: 'l',
    needed: 'operator',
    Component: later(() => import('./views/access-log/access-log.js')),
  },
  {
    path: '/settings',
    href: '/settings',
    name: 'Settings',
    letter: 's',
    needed: 'monitor',
    Component: later(() => import('./views/settings/settings.js')),
  },
];
