import type { RoomDeclarations } from '../declarations/declarations.js';

export const providerHoursDeclarations: RoomDeclarations = {
  kept: { provider_hours: 'in which hours data of a provider came; nobody is named' },
};
