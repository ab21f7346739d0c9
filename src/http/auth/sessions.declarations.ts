import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { SessionEntity } from './session.entity.js';

export const sessionsDeclarations: RoomDeclarations = {
  entities: [SessionEntity],
  kept: {
    console_sessions:
      'which operators are signed in to the console, with their encrypted identity tokens; deleted within twelve hours',
  },
};
