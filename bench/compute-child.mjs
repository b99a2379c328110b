// The floor of replicas: a process without a sandbox that does the same work for each message.
const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));

process.on('message', ({ n, times }) => {
  let result = 0;
  for (let time = 0; time < times; time += 1) result = fib(n);
  process.send(result);
});
