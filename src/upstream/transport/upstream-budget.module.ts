import { type DynamicModule, Module } from '@nestjs/common';
import { Budget } from './budget.js';

/** The budget of upstream calls, shared by all of this process. */
@Module({})
export class UpstreamBudgetModule {
  static register(budget: Budget): DynamicModule {
    return {
      module: UpstreamBudgetModule,
      global: true,
      providers: [{ provide: Budget, useValue: budget }],
      exports: [Budget],
    };
  }
}
