"""The asyncio client with a real sidecar."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from reports import EVIDENCE, PROCEEDS, REPLANNED

import gsar
import gsar.aio
from gsar import v1
from gsar.server import Server


async def test_evaluates_reports_concurrently(aio_client: gsar.aio.Client) -> None:
    reports = [PROCEEDS, REPLANNED] * 8
    answers = await asyncio.gather(*(aio_client.evaluate(report, EVIDENCE) for report in reports))
    assert [gsar.tier(answer) for answer in answers] == ["proceed", "replan"] * 8


async def test_streams_accept_async_iterables(aio_client: gsar.aio.Client) -> None:
    async def coming() -> AsyncIterator[tuple[str, v1.EvaluateRequest]]:
        for number in range(20):
            yield f"r{number}", gsar.evaluation(PROCEEDS, EVIDENCE)

    assert len([answer async for answer in aio_client.evaluate_stream(coming())]) == 20
    listed = [("only", gsar.evaluation(PROCEEDS, EVIDENCE))]
    assert [answer.correlation_id async for answer in aio_client.evaluate_stream(listed)] == ["only"]


async def test_evidence_and_lists(aio_client: gsar.aio.Client) -> None:
    await aio_client.put_evidence("aio", EVIDENCE)
    assert (await aio_client.search("aio", "OOMKilled")).hits
    assert "aio" in [corpus.corpus_id async for corpus in aio_client.list_corpora(page_size=1)]
    await aio_client.delete_corpus("aio")
    assert await aio_client.is_serving()


async def test_errors_equal_those_of_the_blocking_client(aio_client: gsar.aio.Client) -> None:
    with pytest.raises(gsar.InvalidArgument) as refused:
        await aio_client.evaluate("")
    assert [violation.field for violation in refused.value.violations] == ["report.synthesis"]
    with pytest.raises(gsar.NotFound):
        await aio_client.rescore("none")


def test_client_can_be_created_before_its_loop(server: Server) -> None:
    client = gsar.aio.Client(server.endpoint)

    async def main() -> str:
        async with client:
            return gsar.tier(await client.evaluate(PROCEEDS, EVIDENCE))

    assert asyncio.run(main()) == "proceed"
