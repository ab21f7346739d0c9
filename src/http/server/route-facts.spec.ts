import { Controller, Get } from '@nestjs/common';
import { handlersOf, RouteIs, RoutesAre, toldOf } from './route-facts.js';

@RoutesAre({ limit: 'labs', recorded: false })
@Controller()
class TestController {
  @Get('a')
  @RouteIs({ limit: 'results' })
  @RouteIs({ takesForm: true })
  own(): void {
    // A route.
  }

  @Get('b')
  plain(): void {
    // A route.
  }

  helper(): void {
    // Not a route.
  }
}

describe('the facts of a route', () => {
  it('are those of its handler, and of its controller where the handler says nothing', () => {
    const told = handlersOf(TestController).map((handler) => [handler.name, toldOf(handler)]);
    expect(told).toEqual([
      ['own', { limit: 'results', takesForm: true, recorded: false }],
      ['plain', { limit: 'labs', recorded: false }],
    ]);
  });
});
