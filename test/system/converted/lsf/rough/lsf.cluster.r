Begin Host
HOSTNAME model type server RESOURCES
a        !     !    1      (mips==4 x,y)
b        !     !    1
End Host
