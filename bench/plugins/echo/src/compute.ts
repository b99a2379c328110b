export function fib(n: number): number {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

export function floors(): number {
  let sum = 0;
  for (let i = 0; i < 1e6; i += 1) sum += Math.floor(i / 2);
  return sum;
}
