import { Injectable } from '@nestjs/common';
import { DataHandler } from './data.handler.js';
import { type EventFamily, readEventType } from './event-type.js';
import { LabHandler } from './lab.handler.js';
import type { Plan, RoutedEvent } from './plan.js';
import { SourceHandler } from './source.handler.js';

/** The table from an event's family to what handles it. A family without a handler does not compile. */
@Injectable()
export class EventRoutes {
  private readonly table: Readonly<Record<EventFamily, (event: RoutedEvent) => Plan>>;

  constructor(data: DataHandler, sources: SourceHandler, labs: LabHandler) {
    this.table = {
      data: (event) => data.records(event),
      history: (event) => data.history(event),
      connection_created: (event) => sources.connected(event),
      connection_error: (event) => sources.broken(event),
      device: (event) => sources.device(event),
      order: (event) => labs.order(event),
      appointment: (event) => labs.appointment(event),
      critical_result: (event) => labs.critical(event),
      other: () => ({ ignored: 'unknown_event' }),
    };
  }

  /** What is to be done about an event of this type. Throws `WireShapeError` for data that cannot be used. */
  plan(eventType: string, event: Omit<RoutedEvent, 'resource'>): Plan {
    const { family, resource } = readEventType(eventType);
    return this.table[family]({ ...event, resource });
  }
}
