"""Role: a client of wgrpc: a channel through the web door, with the token in TOKEN."""
import os

import grpc
import kserve_pb2
import kserve_pb2_grpc
import stream_pb2
import stream_pb2_grpc

with open(os.environ['WM_GATEWAY_CA'], 'rb') as authority:
    CHANNEL = grpc.secure_channel(os.environ['WM_GATEWAY_URL'].removeprefix('https://'),
                                  grpc.ssl_channel_credentials(authority.read()),
                                  options=[('grpc.max_receive_message_length', -1)])
WHO = [('authorization', 'Bearer ' + os.environ['TOKEN'])]
KSERVE = kserve_pb2_grpc.GRPCInferenceServiceStub(CHANNEL)
STREAMS = stream_pb2_grpc.InferenceStub(CHANNEL)


def task(number, data, model='ping'):
    """A message of a stream."""
    return stream_pb2.InferRequest(model=model, id=number, data=data.encode())


def stream(tasks, who=None):
    """Responses to tasks, as they come."""
    return STREAMS.Infer(iter(tasks), metadata=WHO if who is None else who)


def code_of(call):
    """The word of the error that it ends with."""
    try:
        call()
    except grpc.RpcError as problem:
        return problem.code().name
    return 'OK'
